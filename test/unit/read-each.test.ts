import { expect, test } from 'vitest';
import { scrape } from '../../src/shared/contracts/web/scrape.ts';
import { readEach } from '../../src/workers/batch/read-each.ts';
import type { JobContext } from '../../src/workers/handler.ts';

const megabyte = 1024 * 1024;

/** A job whose calls all answer a page of so many bytes. */
const jobOf = (bytes: number) =>
  ({
    callAll: (_: unknown, requests: readonly unknown[]) =>
      Promise.resolve(requests.map(() => ({ ok: true, output: { html: 'x'.repeat(bytes) }, warnings: [] }))),
  }) as unknown as JobContext;

test('a URL that is repeated is answered each time, up to a bound of the whole answer', async () => {
  const urls = Array.from({ length: 25 }, () => 'https://example.com/');
  const small = await readEach(jobOf(1_000), scrape, urls, (url) => ({ url }));
  expect(small).toMatchObject({ succeeded: 25, failed: 0 });
  const large = await readEach(jobOf(20 * megabyte), scrape, urls, (url) => ({ url }));
  expect(large).toMatchObject({ succeeded: 2, failed: 23 });
  expect(large.results.at(-1)?.error).toMatchObject({ code: 'target_too_large', status: 422 });
});

test('an entry has the warnings of its page, and no list where there are none', async () => {
  const warnings = [{ code: 'page_unfinished', message: 'The page was still loading.' }];
  const job = {
    callAll: () =>
      Promise.resolve([
        { ok: true, output: {}, warnings },
        { ok: true, output: {}, warnings: [] },
      ]),
  } as unknown as JobContext;
  const urls = ['https://example.com/a', 'https://example.com/b'];
  const { results } = await readEach(job, scrape, urls, (url) => ({ url }));
  expect(results.map((entry) => entry.warnings)).toEqual([warnings, undefined]);
});
