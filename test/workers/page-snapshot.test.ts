import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { loadPage } from '../../src/workers/page/load/load.ts';
import { type Snapshot, snapshotHtml, type SnapshotOptions } from '../../src/workers/page/load/snapshot.ts';
import { type BrowserBench, failureOf, startBrowserBench } from '../support/browser.ts';

describe('a snapshot of a page', { timeout: 90_000 }, () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await startBrowserBench();
    await bench.chromium.warmUp();
  }, 60_000);
  afterAll(() => bench[Symbol.asyncDispose]());

  function snapshot(path: string, options?: SnapshotOptions, timeoutMs = 10_000): Promise<Snapshot> {
    return bench.withPage({}, async (page, lease) => {
      await loadPage(page, { url: bench.site.origin + path, timeoutMs, lease });
      return snapshotHtml(page, options);
    });
  }

  it('is the document after its scripts, doctype included', async () => {
    const { html, title, truncated, sizeBytes } = await snapshot('/app');
    expect(html).toMatch(/^<!DOCTYPE html>/i);
    expect(html).toContain('<h1>Rendered by script</h1>');
    expect({ title, truncated }).toEqual({ title: 'Rendered', truncated: false });
    expect(sizeBytes).toBe(Buffer.byteLength(html));
  });

  it('is cut at a number of bytes, and says so', async () => {
    const { html, truncated } = await snapshot('/article', { maxBytes: 500 });
    expect(Buffer.byteLength(html)).toBe(500);
    expect(truncated).toBe(true);
  });

  it('holds what came of a page that never ends', async () => {
    expect((await snapshot('/slow-body', {}, 800)).html).toContain('<h1>The beginning</h1>');
    // Chromium reads no further than the script that asks for the page again, where that is then stopped.
    expect((await snapshot('/reload-loop', {}, 800)).html).toContain('<title>Reloading</title>');
  });

  it('of a page that hangs ends at its deadline', async () => {
    const hanging = bench.withPage({}, async (page, lease) => {
      await loadPage(page, { url: `${bench.site.origin}/article`, timeoutMs: 10_000, lease });
      await page.evaluate('setTimeout(() => { for (;;); })');
      return snapshotHtml(page, { timeoutMs: 500 });
    });
    expect((await failureOf(hanging)).code).toBe('page_unresponsive');
  });
});
