import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { AppError } from '../../src/shared/errors.ts';
import { createAdFilter } from '../../src/workers/page/load/ad-filter.ts';
import { loadPage } from '../../src/workers/page/load/load.ts';
import { snapshotHtml } from '../../src/workers/page/load/snapshot.ts';
import { type LoadRequest, withLoadedPage } from '../../src/workers/page/load/with-loaded-page.ts';
import type { BrowserTools } from '../../src/workers/tools/browser.ts';
import { type BrowserBench, failureOf, startBrowserBench } from '../support/browser.ts';
import { deadOrigin } from '../support/site/page.ts';

describe('loading a page', { timeout: 90_000 }, () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await startBrowserBench();
    await bench.chromium.warmUp();
  }, 60_000);
  afterAll(() => bench[Symbol.asyncDispose]());

  const at = (path: string): string => bench.site.origin + path;

  describe('says what it found', () => {
    it('answers address, status, headers, type and title', async () => {
      const page = await bench.load('/article');
      expect(page).toMatchObject({
        finalUrl: at('/article'),
        statusCode: 200,
        contentType: 'text/html; charset=utf-8',
        redirects: [],
        title: 'How slate is split',
        warnings: [],
        settled: true,
      });
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    });

    it.each([404, 500, 503])('takes the target’s own %i page as a result', async (code) => {
      const page = await bench.load(`/status?code=${code}`);
      expect(page).toMatchObject({ statusCode: code, title: `Status ${code}`, settled: true });
    });

    it('takes an error without a body, a sign-in wall and "no content" as results', async () => {
      expect((await bench.load('/empty-error')).statusCode).toBe(500);
      expect(await bench.load('/basic-auth')).toMatchObject({ statusCode: 401, title: 'Sign in' });
      expect((await bench.load('/status?code=204')).statusCode).toBe(204);
    });

    it.each(['/image.png', '/data.json', '/text.txt', '/picture.svg'])('shows %s', async (path) => {
      expect(await bench.load(path)).toMatchObject({ statusCode: 200, settled: true });
    });
  });

  describe('follows redirects', () => {
    it('lists every hop', async () => {
      const page = await bench.load('/redirect-hops');
      expect(page.finalUrl).toBe(at('/article'));
      expect(page.redirects).toHaveLength(15);
      expect(page.redirects[0]).toEqual({
        url: at('/redirect-hops'),
        status: 302,
        location: at('/redirect-hops?left=14'),
      });
    });

    it('follows a meta refresh and a script', async () => {
      for (const path of ['/meta-refresh', '/script-redirect']) {
        const page = await bench.load(path);
        expect(page.finalUrl).toBe(at('/article'));
        expect(page.redirects).toEqual([{ url: at(path), status: 200, location: at('/article') }]);
      }
    });

    it('ends a loop with too_many_redirects', async () => {
      expect((await failureOf(bench.load('/redirect-loop'))).code).toBe('too_many_redirects');
    });

    it.each(['/redirect?to=', '/script-to?'])('refuses credentials in where %s… leads', async (way) => {
      const to = at('/article').replace('//', '//user:secret@');
      bench.site.serve('/script-to', `<script>location.replace(${JSON.stringify(to)})</script>`);
      const failure = await failureOf(bench.load(`${way}${encodeURIComponent(to)}`));
      expect(failure.code).toBe('target_protocol_error');
      expect(failure.detail).toContain('user name or password');
      expect(failure.detail).not.toContain('secret');
    });

    it('refuses a redirect to a private address or a file', async () => {
      expect((await failureOf(bench.load('/redirect-private'))).code).toBe('url_not_allowed');
      expect((await failureOf(bench.load('/redirect-file'))).code).toBe('url_not_allowed');
    });

    it('does not let history entries change the address', async () => {
      expect((await bench.load('/push-state')).finalUrl).toBe(at('/push-state'));
    });
  });

  describe('waits as asked', () => {
    it('by default for content that is fetched after the load event', async () => {
      expect((await bench.load('/app-fetching?wait=400')).title).toBe('Fetched after load');
    });

    it('for a selector', async () => {
      const title = bench.withPage({}, async (page, lease) => {
        await loadPage(page, {
          url: at('/late-element?wait=400'),
          waitFor: '#late',
          timeoutMs: 20_000,
          lease,
        });
        return page.evaluate(() => document.querySelector('#late')?.textContent);
      });
      expect(await title).toBe('Here now');
    });

    it('and says when the selector never came, or is none', async () => {
      const missing = bench.load('/article', { waitFor: '#never', timeoutMs: 2_500 });
      expect((await failureOf(missing)).code).toBe('selector_not_found');
      const unfinished = bench.load('/slow-body', { waitFor: '#never', timeoutMs: 2_500 });
      expect((await failureOf(unfinished)).code).toBe('selector_not_found');
      const invalid = await failureOf(bench.load('/article', { waitFor: 'p[[' }));
      expect(invalid).toMatchObject({ code: 'invalid_request', errors: [{ path: 'waitFor' }] });
    });

    it('for a number of milliseconds', async () => {
      const started = performance.now();
      await bench.load('/article-plain', { waitFor: '600' });
      expect(performance.now() - started).toBeGreaterThan(600);
    });

    it.each(['/long-poll', '/polling'])('but not for news: %s is ready', async (path) => {
      for (const waitFor of [undefined, 'networkidle']) {
        const loaded = await bench.load(path, waitFor === undefined ? {} : { waitFor });
        expect(loaded, String(waitFor)).toMatchObject({ settled: true, warnings: [] });
      }
    });

    it('for an idle network, but not beyond the deadline where it never idles', async () => {
      const page = await bench.load('/never-idle', { waitFor: 'networkidle', timeoutMs: 2_500 });
      expect(page.settled).toBe(false);
      expect(page.warnings[0]?.code).toBe('page_never_settled');
    });
  });

  describe('ends at the deadline', () => {
    const timeoutMs = 2_500;
    const latestMs = timeoutMs + 15_000;

    it.each([
      ['/slow-body', 'Drip'],
      ['/hanging-image', 'Hanging image'],
    ])('%s: shows the page as far as it got', async (path, title) => {
      const started = performance.now();
      const page = await bench.load(path, { timeoutMs });
      expect(page).toMatchObject({ title, settled: false, warnings: [{ code: 'page_never_settled' }] });
      expect(performance.now() - started).toBeLessThan(latestMs);
    });

    it('a document that is parsed for minutes, on a slow processor: shows the page as far as it got', async () => {
      const page = await bench.withPage({}, async (slow, lease) => {
        const session = await slow.createCDPSession();
        await session.send('Emulation.setCPUThrottlingRate', { rate: 10 });
        return await loadPage(slow, { url: `${bench.site.origin}/deep-dom`, timeoutMs: 4_000, lease });
      });
      expect(page).toMatchObject({ title: 'Deep', settled: false });
    });

    it('a page that is busy at the deadline, but not for ever: shows it as far as it got', async () => {
      const busy = 'onload = () => setTimeout(() => { while (performance.now() < 2500); })';
      const page = await bench.load('/article', {
        html: `<title>Busy</title><p>Text</p><script>${busy}</script>`,
        timeoutMs: 2_500,
      });
      expect(page).toMatchObject({
        title: 'Busy',
        settled: false,
        warnings: [{ code: 'page_never_settled' }],
      });
    });

    it.each(['/endless-script', '/endless-later'])(
      '%s: page_unresponsive, and the next job is fine',
      async (path) => {
        const started = performance.now();
        const failure = await failureOf(bench.load(path, { timeoutMs, waitFor: '800' }));
        expect(failure.code).toBe('page_unresponsive');
        expect(performance.now() - started).toBeLessThan(latestMs);
        expect((await bench.load('/article')).statusCode).toBe(200);
      },
    );

    it('no answer at all: target_timeout', async () => {
      expect((await failureOf(bench.load('/never-answers', { timeoutMs }))).code).toBe('target_timeout');
      const early = bench.load('/never-answers', { firstByteTimeoutMs: 300 });
      expect((await failureOf(early)).detail).toContain('0.3 s');
    });
  });

  describe('of a page that leads on by itself', () => {
    const leading = (to: string, ms = 300) =>
      `<title>First</title><script>setTimeout(() => (location.href = "${to}"), ${ms})</script><p>Here.`;

    it('to a host that fails, says why, by https as by http', async () => {
      bench.site.serve('/to-tls', leading(at('/article').replace('http:', 'https:')));
      expect((await failureOf(bench.load('/to-tls'))).code).toBe('target_tls_failed');
      bench.site.serve('/to-refused', '<meta http-equiv="refresh" content="1; url=https://10.0.0.1/">');
      expect((await failureOf(bench.load('/to-refused'))).code).toBe('url_not_allowed');
      bench.site.serve('/to-hang-up', leading('/hang-up'));
      expect((await failureOf(bench.load('/to-hang-up'))).code).toBe('target_unreachable');
    });

    it('to an error without a body, tells its status', async () => {
      bench.site.serve('/to-empty', leading('/empty-error'));
      expect(await bench.load('/to-empty')).toMatchObject({ finalUrl: at('/empty-error'), statusCode: 500 });
    });

    it('does not wait for what it began to ask for on its way', async () => {
      const ask = 'setTimeout(() => (new Image().src = "/never-answers?left"), 300)';
      const leave = `setTimeout(() => { location.href = "/slow?wait=2000"; ${ask} }, 300)`;
      bench.site.serve('/asks-on', `<title>First</title><script>${leave}</script><p>Here.`);
      expect(await bench.load('/asks-on')).toMatchObject({ title: 'Slow', settled: true, warnings: [] });
    });

    it.each([
      { rule: 'the default', headMs: 6_500, settled: false },
      { rule: 'a delay', waitFor: '500', headMs: 1_500, settled: true },
    ])('to one whose head takes longer than $rule allows, shows all', async (one) => {
      const { waitFor, headMs, settled } = one;
      const script = `<script src="/slow?wait=${headMs}"></script>`;
      bench.site.serve('/long-head', `<head><title>Target</title>${script}<body><p>All of it.`);
      bench.site.serve('/to-long-head', leading('/long-head'));
      const options = { url: at('/to-long-head'), timeoutMs: 15_000, ...(waitFor && { waitFor }) };
      const read = await bench.withPage({}, async (page, lease) => {
        const loaded = await loadPage(page, { ...options, lease });
        return { loaded, html: (await snapshotHtml(page)).html };
      });
      expect(read.html).toContain('All of it.');
      expect(read.loaded).toMatchObject({ title: 'Target', settled });
    });

    it.each([undefined, '300'])(
      'or writes to itself without an end, is shown (waitFor %s)',
      async (waitFor) => {
        bench.site.serve(
          '/writes',
          '<title>Writes</title><script>onload = () => document.write("<p>x")</script>',
        );
        const startedAt = performance.now();
        const loaded = await bench.load('/writes', { timeoutMs: 20_000, ...(waitFor && { waitFor }) });
        expect(loaded).toMatchObject({ settled: true, warnings: [] });
        expect(performance.now() - startedAt).toBeLessThan(12_000);
      },
    );

    it('to one that never ends, shows how far it got within its time', async () => {
      bench.site.serve('/to-endless', leading('/slow-body', 200));
      const load = bench.load('/to-endless', { timeoutMs: 4_000, waitFor: '600' });
      const warnings = [{ code: 'page_never_settled' }];
      expect(await load).toMatchObject({ title: 'Drip', settled: false, truncated: true, warnings });
    });

    it.each(['/archive.zip', '/attachment', '/status?code=204'])('to %s, stays', async (path) => {
      bench.site.serve('/to-file', leading(path));
      expect(await bench.load('/to-file')).toMatchObject({
        finalUrl: at('/to-file'),
        statusCode: 200,
        contentType: 'text/html; charset=utf-8',
        redirects: [],
        title: 'First',
      });
    });

    it('once it has been told, stays where it is', async () => {
      await bench.withPage({}, async (page, lease) => {
        const url = at('/article');
        const loaded = await loadPage(page, { url, timeoutMs: 10_000, lease });
        expect(loaded.sinceTold()).toBe('stayed');
        await page.evaluate(() => void (location.href = '/later'));
        await expect.poll(loaded.sinceTold, { timeout: 10_000 }).toBe('held');
        expect(await page.evaluate(() => location.href)).toBe(url);
      });
      expect(bench.site.hits('/later')).toBe(0);
    });

    it.each(['about:blank', 'blob:'])('and is known to be gone where it goes to %s', async (to) => {
      await bench.withPage({}, async (page, lease) => {
        const loaded = await loadPage(page, { url: at('/article'), timeoutMs: 10_000, lease });
        await page.evaluate((kind) => {
          const isBlob = kind === 'blob:';
          const own = isBlob ? URL.createObjectURL(new Blob(['Mine'], { type: 'text/html' })) : kind;
          setTimeout(() => (location.href = own));
        }, to);
        await expect.poll(loaded.sinceTold, { timeout: 10_000 }).toBe('left');
      });
    });

    it.each([
      ['read', async () => 'Text'],
      ['not found', () => Promise.reject(new AppError('selector_not_found', 'None.'))],
    ])('and is not told where it has gone while it was read, and %s', async (_how, end) => {
      const tools = { chromium: bench.chromium, openLease: () => bench.door.openLease() };
      const { signal } = new AbortController();
      const request = { url: at('/article'), timeout: 10_000, blockAds: true, verifyTls: true };
      const reading = withLoadedPage(
        request as LoadRequest,
        { tools: tools as unknown as BrowserTools, signal },
        async ({ page, loaded }) => {
          await page.evaluate(() => void setTimeout(() => (location.href = 'about:blank')));
          await expect.poll(loaded.sinceTold, { timeout: 10_000 }).toBe('left');
          return await end();
        },
      );
      expect((await failureOf(reading)).code).toBe('page_crashed');
    });
  });

  describe('past advertisers', () => {
    const ads = ['ad.doubleclick.net', 'cdn.taboola.com'];
    const load = async (path: string) => {
      await using door = createEgressDoor({
        allow: [`127.0.0.1:${bench.site.port}`],
        resolve: async () => ['127.0.0.1'],
      });
      const url = at(path);
      const adFilter = createAdFilter(url);
      await using lease = door.openLease(adFilter);
      return await bench.chromium.withPage({ lease }, (page) =>
        loadPage(page, { url, timeoutMs: 10_000, lease, adFilter }),
      );
    };
    const on = (host: string, path: string) => `http://${host}:${bench.site.port}${path}`;

    it('redirects lead on, through several too', async () => {
      const way = ads.reduceRight(
        (to, host) => on(host, `/redirect?to=${encodeURIComponent(to)}`),
        at('/article'),
      );
      const page = await load(`/redirect?to=${encodeURIComponent(way)}`);
      expect(page).toMatchObject({ finalUrl: at('/article'), statusCode: 200 });
      expect(page.redirects).toHaveLength(3);
    });

    it.each([
      ['a script', (to: string) => `<script>location.replace("${to}")</script>`],
      ['a refresh', (to: string) => `<meta http-equiv="refresh" content="0; url=${to}"><p>Moving on.`],
    ])('a link that is an empty page with %s leads on', async (how, markup) => {
      const to = on(ads[0] as string, `/redirect?to=${encodeURIComponent(at('/article'))}`);
      const path = `/link-by-${how.slice(2)}`;
      bench.site.serve(path, `<noscript>Moving</noscript><title>Moving</title>${markup(to)}`);
      const page = await load(path);
      expect(page).toMatchObject({ finalUrl: at('/article'), statusCode: 200, title: 'How slate is split' });
      expect(page.redirects).toHaveLength(2);
    });

    it('the hosts of the page that a link leads to are no advertisers', async () => {
      await using door = createEgressDoor({
        allow: [`127.0.0.1:${bench.site.port}`],
        resolve: async () => ['127.0.0.1'],
      });
      const tools = { chromium: bench.chromium, openLease: (options: object) => door.openLease(options) };
      const [own = '', other = ''] = ads;
      bench.site.serve('/link', `<script>location.replace("${on(own, '/ad-page')}")</script>`);
      bench.site.serve('/ad-page', `<title>Ad</title><p>Its text.<img src="${on(other, '/a.png')}">`);
      const request = { url: at('/link'), timeout: 10_000, blockAds: true, verifyTls: true };
      const { signal } = new AbortController();
      const told = await withLoadedPage(
        request as LoadRequest,
        { tools: tools as unknown as BrowserTools, signal },
        async ({ loaded, turnedAway, loadWarnings }) => ({
          title: loaded.title,
          hosts: [...turnedAway().keys()],
          warnings: loadWarnings().map(({ message }) => message.includes(own)),
        }),
      );
      expect(told).toEqual({ title: 'Ad', hosts: [other], warnings: [false] });
    });

    it('one that a page tried before it led elsewhere is not where it leads', async () => {
      const tried = `<script>location = "${on(ads[0] as string, '/article')}"; setTimeout(() => (location = "/little"), 500)</script>`;
      bench.site.serve('/tried', `<title>Tried</title>${tried}`);
      bench.site.serve('/little', '<title>Little</title>');
      expect(await load('/tried')).toMatchObject({ finalUrl: at('/little'), title: 'Little' });
    });

    it('a page that leads to one by itself stays', async () => {
      const to = on(ads[0] as string, '/article');
      bench.site.serve(
        '/to-ad',
        `<title>Read</title><script>setTimeout(() => (location = "${to}"), 300)</script><p>${'Text. '.repeat(50)}`,
      );
      expect(await load('/to-ad')).toMatchObject({ finalUrl: at('/to-ad'), statusCode: 200, title: 'Read' });
    });
  });

  describe('names the cause of a failure', () => {
    it.each([
      ['/not-http', 'target_protocol_error'],
      ['/hang-up', 'target_unreachable'],
      ['/redirect?to=/hang-up', 'target_unreachable'],
      ['http://no-such-host.invalid/', 'target_dns_failed'],
      ['http://10.0.0.1/', 'url_not_allowed'],
    ])('%s: %s', async (path, code) => {
      expect((await failureOf(bench.load(path))).code).toBe(code);
    });

    it('https to a port without TLS: target_tls_failed', async () => {
      const url = at('/article').replace('http:', 'https:');
      expect((await failureOf(bench.load(url))).code).toBe('target_tls_failed');
    });

    it('a port that nobody listens on: target_unreachable', async () => {
      await using door = createEgressDoor({ allow: ['127.0.0.1'] });
      await using lease = door.openLease();
      const loading = bench.chromium.withPage({ lease }, (page) =>
        loadPage(page, { url: deadOrigin, timeoutMs: 20_000, lease }),
      );
      expect((await failureOf(loading)).code).toBe('target_unreachable');
    });

    it.each([
      ['/attachment', /text\/html as a download \(11 bytes\)/],
      ['/archive.zip', /application\/zip \(22 bytes\)/],
    ])('%s: unsupported_content', async (path, detail) => {
      const failure = await failureOf(bench.load(path));
      expect(failure.code).toBe('unsupported_content');
      expect(failure.detail).toMatch(detail);
    });

    it.each(['file:///etc/passwd', 'view-source:http://127.0.0.1/', 'chrome://version', 'data:text/html,x'])(
      'does not open %s',
      async (url) => {
        expect((await failureOf(bench.load(url))).code).toBe('invalid_request');
      },
    );
  });
});
