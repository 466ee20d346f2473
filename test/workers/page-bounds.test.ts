import { randomUUID } from 'node:crypto';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { loadPage } from '../../src/workers/page/load/load.ts';
import { type BrowserBench, failureOf, startBrowserBench } from '../support/browser.ts';
import { strangerCertificate, testKey } from '../support/egress-certificates.ts';
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

  it('that sends many megabytes by TLS costs the worker little, and its neighbours nothing', async () => {
    const pid = bench.chromium.describe()?.pid;
    const before = process.memoryUsage().rss;
    const [page, neighbour] = await Promise.all(
      ['/large-posts', '/article'].map((path) => bench.load(path, { waitFor: '500', timeoutMs: 40_000 })),
    );
    expect([page?.statusCode, neighbour?.title]).toEqual([200, 'How slate is split']);
    expect(bench.chromium.describe()?.pid).toBe(pid);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 ** 2);
  });

  it('that sends a form of megabytes stays where it is', async () => {
    const path = `/large-form-${randomUUID()}`;
    bench.site.serve(
      path,
      `<title>Form</title><form method="post" action="/article"><textarea name="a"></textarea></form>
      <script>document.forms[0].a.value = 'x'.repeat(2e6); document.forms[0].submit()</script>`,
    );
    expect(await bench.load(path, { waitFor: '500' })).toMatchObject({ title: 'Form', statusCode: 200 });
  });

  it('has its requests counted one by one, which the door cannot do of those by TLS', async () => {
    const ask = (name: string) =>
      `for (let n = 0; n < 60; n++) fetch(origin + "/${name}" + n).catch(() => {});`;
    const shared = `new SharedWorker("data:text/javascript," + encodeURIComponent('${ask('shared')}'))`;
    const frames = '<iframe src="/frame"></iframe>'.repeat(5);
    const images = Array.from({ length: 60 }, (_, n) => `<img src="/image${n}">`).join('');
    const asked: string[] = [];
    // By HTTP/2 all are asked for at once.
    const server = createSecureServer({ key: testKey, cert: strangerCertificate }, ({ url }, response) => {
      asked.push(url);
      response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' });
      response.end(url === '/' ? `<title>Burst</title><script>${shared}</script>${frames}${images}` : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await using door = createEgressDoor({ allow: [`127.0.0.1:${port}`] });
    await using lease = door.openLease({ maxProxyRequests: 20 });
    const url = `https://127.0.0.1:${port}/`;
    const loaded = await bench.chromium.withPage({ lease, verifyTls: false }, (page) =>
      loadPage(page, { url, timeoutMs: 20_000, lease }),
    );
    server.close();
    expect(loaded.title).toBe('Burst');
    expect(asked.length).toBe(20);
    expect(asked.filter((path) => path.startsWith('/shared'))).toEqual([]);
    expect(lease.droppedRequests).toBe(46);
  });

  it('that leads on past its requests stays where it is', async () => {
    const ask = 'for (let n = 0; n < 40; n++) await fetch("/empty-error?paced" + n).catch(() => {});';
    const tell = 'setTimeout(() => document.body.append(document.createElement("hr")), 300);';
    bench.site.serve(
      '/paced',
      `<title>Paced</title><script type="module">${ask} location = '/article'; ${tell}</script>`,
    );
    await using lease = bench.door.openLease({ maxProxyRequests: 20 });
    const url = `${bench.site.origin}/paced`;
    const loaded = await bench.chromium.withPage({ lease }, (page) =>
      loadPage(page, { url, timeoutMs: 20_000, lease, waitFor: 'hr' }),
    );
    expect(loaded).toMatchObject({ title: 'Paced', finalUrl: url });
    expect(lease.droppedRequests).toBe(22);
  });

  it('of many frames is shown with the first hundred, not counting those of advertisers', async () => {
    bench.site.serve('/in-frame', '<p>Framed.');
    const ads = '<iframe src="https://ads.example.com/"></iframe>'.repeat(20);
    const frames = '<iframe src="/in-frame"></iframe>'.repeat(110);
    bench.site.serve('/frames', `<title>Frames</title>${ads}${frames}`);
    const turnAway = (host: string) => host === 'ads.example.com';
    await using lease = bench.door.openLease({ maxProxyRequests: 110, turnAway });
    const url = `${bench.site.origin}/frames`;
    const loaded = await bench.chromium.withPage({ lease }, (page) =>
      loadPage(page, { url, timeoutMs: 30_000, lease, waitFor: 'load' }),
    );
    expect(loaded).toMatchObject({ title: 'Frames', settled: true });
    expect(lease.droppedRequests).toBe(10);
    expect([...lease.turnedAway]).toEqual([['ads.example.com', 20]]);
    expect(bench.site.hits('/in-frame')).toBeLessThanOrEqual(100);
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
