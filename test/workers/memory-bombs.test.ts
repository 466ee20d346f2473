import { afterAll, beforeAll, expect, test } from 'vitest';

import { type BrowserBench, failureOf, startBrowserBench } from '../support/browser.ts';

let bench: BrowserBench;
beforeAll(async () => {
  bench = await startBrowserBench({ memoryLimitBytes: 512 * 1024 ** 2 });
  await bench.chromium.warmUp();
}, 60_000);
afterAll(() => bench[Symbol.asyncDispose]());

const load = (path: string, waitFor: string) => bench.load(path, { waitFor, timeoutMs: 20_000 });

test.each(['array-buffers', 'canvases', 'iframes', 'nodes', 'service-workers', 'wasm', 'workers'])(
  'a page that takes memory by %s is ended, for good; its neighbours and the browser live',
  async (kind) => {
    const pid = bench.chromium.describe()?.pid;
    const neighbours = [load('/article', '1500'), load('/app-fetching', '1500')];
    const failure = await failureOf(load(`/bomb/${kind}`, '15000'));
    expect(failure).toMatchObject({ code: 'page_crashed', isFinal: true });
    for (const { statusCode } of await Promise.all(neighbours)) expect(statusCode).toBe(200);
    expect((await load('/article', 'load')).title).toBe('How slate is split');
    expect(bench.chromium.describe()?.pid).toBe(pid);
  },
  40_000,
);

test('blobs, which the browser itself holds, leave the next job a browser', async () => {
  await load('/bomb/blobs', '15000').catch(() => {});
  expect((await load('/article', 'load')).title).toBe('How slate is split');
}, 40_000);
