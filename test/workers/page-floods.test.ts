import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readProcessTree } from '../../src/shared/processes/process-tree.ts';
import { call, screenshotPath } from '../support/client.ts';
import { type BrowserBench, startBrowserBench } from '../support/browser.ts';

/** Layers of turbulence, each as large as the page. */
const filters = Array.from(
  { length: 12 },
  (_, n) =>
    `<filter id=f${n} x=0 y=0 width=1 height=1><feTurbulence baseFrequency=0.9 numOctaves=200 /><feConvolveMatrix order=9 kernelMatrix="${'1 '.repeat(81)}"/></filter>`,
).join('');
const drawn = Array.from({ length: 12 }, (_, n) => `<rect width=4000 height=4000 filter=url(#f${n}) />`).join(
  '',
);

describe('a page', { timeout: 90_000 }, () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await startBrowserBench();
    await bench.chromium.warmUp();
  }, 60_000);
  afterAll(() => bench[Symbol.asyncDispose]());

  it('with many requests under way makes the end of each no dearer', async () => {
    bench.site.serve(
      '/pending',
      '<title>Pending</title><script>for (let n = 0; n < 300; n++) fetch(`/never-answers?${n}`)</script>',
    );
    await bench.withPage({}, async (page) => {
      let asked = 0;
      page.on('request', () => void (asked += 1));
      await page.goto(`${bench.site.origin}/pending`, { waitUntil: 'domcontentloaded' });
      await expect.poll(() => asked, { timeout: 20_000 }).toBeGreaterThan(300);
      const listeners = ['response', 'requestfinished', 'requestfailed'] as const;
      expect(listeners.map((event) => page.listenerCount(event) < 10)).toEqual([true, true, true]);
    });
  });

  it('whose workers use the processors for long gives way to others', async () => {
    bench.site.serve(
      '/workers',
      `<script>for (let n = 0; n < 4; n++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])))</script>`,
    );
    await bench.withPage({}, async (page) => {
      await page.goto(`${bench.site.origin}/workers`);
      const renderers = () => readProcessTree(process.pid).filter(({ isRenderer }) => isRenderer);
      /** Null of a thread that has ended. */
      const niceness = (thread: number) => {
        try {
          return getPriority(thread);
        } catch {
          return null;
        }
      };
      const threadsOf = (pid: number) => readdirSync(`/proc/${pid}/task`).map((one) => niceness(Number(one)));
      const isLowered = ({ pid }: { pid: number }) => niceness(pid) === 10;
      await expect.poll(() => renderers().some(isLowered), { timeout: 30_000 }).toBe(true);
      const threads = threadsOf(renderers().find(isLowered)?.pid ?? 0).filter((one) => one !== null);
      expect(threads.length).toBeGreaterThan(4);
      expect(threads.filter((one) => one < 10)).toEqual([]);
    });
  });

  it('that is drawn for minutes is answered about when its time is over', async () => {
    bench.site.serve(
      '/filters',
      `<title>Filters</title><svg width=4000 height=4000>${filters}${drawn}</svg>`,
    );
    const start = performance.now();
    const { status } = await call(screenshotPath, {
      body: { url: `${bench.site.origin}/filters`, timeout: 5_000 },
    });
    expect([200, 422, 502, 504]).toContain(status);
    // A second after it, and what a busy machine adds; it took half a minute.
    expect(performance.now() - start).toBeLessThan(25_000);
  });
});
