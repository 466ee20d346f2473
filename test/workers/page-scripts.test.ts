import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { dismissCookieBanner } from '../../src/workers/page/picture/cookie-banner.ts';
import { loadPage } from '../../src/workers/page/load/load.ts';
import { captureScreenshot } from '../../src/workers/page/picture/screenshot.ts';
import { snapshotHtml } from '../../src/workers/page/load/snapshot.ts';
import { type LoadRequest, withLoadedPage } from '../../src/workers/page/load/with-loaded-page.ts';
import type { BrowserTools } from '../../src/workers/tools/browser.ts';
import { type BrowserBench, startBrowserBench } from '../support/browser.ts';

describe('the scripts of a page', { timeout: 90_000 }, () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await startBrowserBench();
  }, 60_000);
  afterAll(() => bench[Symbol.asyncDispose]());

  it('do not reach ours by what they have done to built-ins', async () => {
    const [snapshot, shot] = await bench.withPage({}, async (page, lease) => {
      const loaded = await loadPage(page, {
        url: `${bench.site.origin}/broken-built-ins`,
        timeoutMs: 10_000,
        lease,
      });
      await dismissCookieBanner(page, loaded);
      const taken = await snapshotHtml(page);
      const options = {
        format: 'png',
        quality: 80,
        fullPage: true,
        maxHeight: 5_000,
        timeoutMs: 10_000,
      } as const;
      return [taken, await captureScreenshot(page, options)] as const;
    });
    expect(snapshot).toMatchObject({ title: 'Broken built-ins' });
    expect(snapshot.html).toContain('<h1>It stands here</h1>');
    expect(shot.image.subarray(1, 4).toString()).toBe('PNG');
  });

  it('cannot flood us: what they log is passed over, and they find nothing of ours to call', async () => {
    const heard: string[] = [];
    const before = process.memoryUsage().rss;
    const snapshot = await bench.withPage({}, async (page, lease) => {
      page.on('console', (message) => heard.push(message.text()));
      const loaded = await loadPage(page, { url: `${bench.site.origin}/flood`, timeoutMs: 40_000, lease });
      await dismissCookieBanner(page, loaded);
      return await snapshotHtml(page);
    });
    expect(snapshot.title).toBe('Flood');
    expect(heard).toEqual([]);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 ** 2);
  });

  it.each([
    ['in one go', '/endless-dialogs'],
    ['again and again', '/endless-dialogs-later'],
  ])('that show dialogs without end, %s, are ended, and the page is shown', async (_how, path) => {
    const start = performance.now();
    const snapshot = await bench.withPage({}, async (page, lease) => {
      await loadPage(page, { url: bench.site.origin + path, timeoutMs: 6_000, lease });
      return await snapshotHtml(page);
    });
    expect(snapshot.html).toContain('<h1>Dialogs</h1>');
    expect(performance.now() - start).toBeLessThan(7_000);
  });

  it.each([
    ['without end are told to be ended', '/endless-dialogs', undefined, ['scripts_ended']],
    ['now and then go on', '/some-dialogs', '#done', []],
  ])('that show dialogs %s', async (_how, path, waitFor, expected) => {
    const tools = { chromium: bench.chromium, openLease: () => bench.door.openLease() };
    const url = bench.site.origin + path;
    const request = { url, waitFor, timeout: 20_000, blockAds: false, verifyTls: true };
    const codes = await withLoadedPage(
      request as LoadRequest,
      { tools: tools as unknown as BrowserTools, signal: new AbortController().signal },
      async ({ loadWarnings }) => loadWarnings().map(({ code }) => code),
    );
    expect(codes.filter((code) => code === 'scripts_ended')).toEqual(expected);
  });
});
