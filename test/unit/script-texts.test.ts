import { expect, test } from 'vitest';
import type { EgressLease } from '../../src/shared/egress/types.ts';
import type { PageQuery } from '../../src/shared/schemas/page-options.ts';
import { ScriptTexts } from '../../src/workers/page/engine/script-texts.ts';

const query = { url: 'https://quarry.test/', timeout: 5_000, render: 'auto', verifyTls: true } as PageQuery;

/** Answers each request with how many there were; the first fails where it is said. */
function openLease({ fails = false } = {}) {
  let count = 0;
  const fetch = async () => {
    count++;
    if (fails && count === 1) throw new Error('late');
    return { status: 200, body: Buffer.from(`script(${count})`), headers: {} };
  };
  return { fetch, signal: new AbortController().signal } as unknown as EgressLease;
}

test('a script is kept for the user who asked for it, and as it was asked for', async () => {
  const texts = new ScriptTexts();
  const lease = openLease();
  const read = async (owner: string, more: Partial<PageQuery> = {}) =>
    (await texts.fetch(lease, ['https://quarry.test/a.js'], { ...query, ...more }, owner))[0];
  expect(await read('a')).toBe('script(1)');
  expect(await read('a', { timeout: 1_000 })).toBe('script(1)');
  expect(await read('b')).toBe('script(2)');
  expect(await read('a', { userAgent: 'Reader' })).toBe('script(3)');
  expect(await read('a', { verifyTls: false })).toBe('script(4)');
  expect(await read('a')).toBe('script(1)');
});

test('a failure is not kept', async () => {
  const texts = new ScriptTexts();
  const lease = openLease({ fails: true });
  const read = () => texts.fetch(lease, ['https://quarry.test/a.js'], query, 'a');
  expect([await read(), await read()]).toEqual([[], ['script(2)']]);
});
