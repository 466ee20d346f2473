import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { loadPage } from '../../src/workers/page/load/load.ts';
import { RequestBound } from '../../src/workers/page/load/request-bound.ts';
import { type BrowserBench, failureOf, startBrowserBench } from '../support/browser.ts';
import { call, scrapePath } from '../support/client.ts';

/** How much a page may ask of us. */
describe('a page', { timeout: 60_000 }, () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await startBrowserBench();
    await bench.chromium.warmUp();
  }, 60_000);
  afterAll(() => bench[Symbol.asyncDispose]());

  it.each([
    ['a meta refresh', '<meta http-equiv="refresh" content="0">'],
    ['a script', '<script>location.reload()</script>'],
    [
      'a script that goes on',
      '<script>setInterval(() => (location.href = "?" + Math.random()), 250)</script>',
    ],
  ])('that leads to itself by %s is stopped after three times', async (_how, markup) => {
    const path = `/again-${randomUUID()}`;
    bench.site.serve(path, `<title>Again</title>${markup}<p>Here.`);
    // A refresh begins when the page has loaded.
    const page = await bench.load(path, { timeoutMs: 10_000, waitFor: '1500' });
    expect(page).toMatchObject({ title: 'Again', statusCode: 200 });
    expect(page.warnings.map(({ code }) => code)).toContain('navigations_stopped');
    expect(bench.site.hits(path)).toBe(4);
  });

  it('that reloads itself before it is shown comes up once it is stopped, and is said not to have settled', async () => {
    const page = await bench.load('/reload-loop', { timeoutMs: 10_000 });
    expect(page).toMatchObject({ title: 'Reloading', settled: false });
    expect(page.warnings.map(({ code }) => code)).toEqual(['page_never_settled', 'navigations_stopped']);
  });

  it('of more than a million elements is too large, and the next one is fine', async () => {
    bench.site.serve('/nodes', `<title>Nodes</title>${'<b></b>'.repeat(1_500_000)}`);
    expect((await failureOf(bench.load('/nodes', { timeoutMs: 30_000 }))).code).toBe('target_too_large');
    expect((await bench.load('/article')).statusCode).toBe(200);
  });

  it('has its requests counted one by one, which the door cannot do of those by TLS', async () => {
    const ask = 'for (let n = 0; n < 40; n++) await fetch("/empty-error?paced" + n).catch(() => {});';
    bench.site.serve('/paced', `<title>Paced</title><script type="module">${ask}</script>`);
    const url = `${bench.site.origin}/paced`;
    const { bound, loaded } = await bench.withPage({}, async (page, lease) => {
      const counted = new RequestBound(page, lease, 20);
      return { bound: counted, loaded: await loadPage(page, { url, timeoutMs: 20_000, lease }) };
    });
    expect(loaded.title).toBe('Paced');
    expect(bound.dropped).toBeGreaterThan(5);
    expect(bench.site.hits('/empty-error') + bound.dropped).toBe(40);

    bench.site.serve('/paced-on', `<script type="module">${ask} location = '/paced-end';</script>`);
    bench.site.serve('/paced-end', '<title>The end</title><p>Here it leads.');
    const next = await bench.withPage({}, async (page, lease) => {
      const counted = new RequestBound(page, lease, 20);
      const led = await loadPage(page, { url: `${bench.site.origin}/paced-on`, timeoutMs: 20_000, lease });
      expect(counted.dropped).toBeGreaterThan(5);
      return led;
    });
    expect(next.title).toBe('The end');
  });

  it('of many images gets five hundred requests, and says so', async () => {
    const before = bench.site.hits('/empty-error');
    const images = Array.from({ length: 520 }, (_, n) => `<img src="/empty-error?${n}">`);
    bench.site.serve('/many-images', `<title>Many</title>${images.join('')}`);
    const body = { url: `${bench.site.origin}/many-images`, waitFor: 'load', timeout: 28_000 };
    const answer = await call(scrapePath, { body });
    expect(answer.body['data'].title).toBe('Many');
    const warnings = answer.body['meta'].warnings as { code: string }[];
    expect(warnings.map(({ code }) => code)).toContain('requests_dropped');
    // One was for the page itself.
    expect(bench.site.hits('/empty-error') - before).toBeLessThanOrEqual(499);
  });
});
