import { expect, test } from 'vitest';
import type { EgressLease } from '../../src/shared/egress/types.ts';
import { askWithRetries, PauseBudget } from '../../src/workers/crawl/busy-host.ts';

test('what is asked side by side waits together, and once the time for pauses is spent nothing does', async () => {
  let asked = 0;
  const fetch = async () => {
    asked++;
    return { status: 503, headers: { 'retry-after': '0.2' } };
  };
  const lease = { fetch } as unknown as EgressLease;
  const pauses = new PauseBudget(300);
  const ask = () => askWithRetries(lease, { url: 'http://example.com/', timeoutMs: 1_000 }, pauses);
  const answers = await Promise.all([ask(), ask(), ask(), ask()]);
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
  expect(asked).toBe(8);
  await ask();
  expect(asked).toBe(9);
});
