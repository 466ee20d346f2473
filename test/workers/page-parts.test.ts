import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { dismissCookieBanner } from '../../src/workers/page/picture/cookie-banner.ts';
import { type LoadedPage, loadPage } from '../../src/workers/page/load/load.ts';
import { captureScreenshot, type ScreenshotOptions } from '../../src/workers/page/picture/screenshot.ts';
import { snapshotHtml } from '../../src/workers/page/load/snapshot.ts';
import { readVisibleText } from '../../src/workers/page/html/visible-text.ts';
import { findXmlSource } from '../../src/workers/page/html/xml-source.ts';
import { type BrowserBench, startBrowserBench } from '../support/browser.ts';

let bench: BrowserBench;
const long = `<p>${'The upper quarry employed four hundred people. '.repeat(40)}</p>`;

beforeAll(async () => {
  bench = await startBrowserBench();
  await bench.chromium.warmUp();
  bench.site.serve('/inner', '<title>Inner</title><p>Of the frame</p><a href="rel">link</a>');
}, 60_000);
afterAll(() => bench[Symbol.asyncDispose]());

async function read(html: string, type?: string) {
  bench.site.serve('/page', html, type);
  return await bench.withPage({}, async (page, lease) => {
    const loaded = await loadPage(page, { url: `${bench.site.origin}/page`, timeoutMs: 10_000, lease });
    const shown = await snapshotHtml(page);
    return {
      loaded,
      shown,
      source: await findXmlSource(
        loaded,
        shown,
        async () => null,
        async (xhtml) => xhtml,
      ),
    };
  });
}

describe('content that comes after the load event is read:', () => {
  const put = `document.getElementById('late').innerHTML = '<p>It came late</p>'`;
  it.each([
    ['by a timer', `setTimeout(() => { ${put} }, 600)`],
    ['by one timer after another', `setTimeout(() => setTimeout(() => { ${put} }, 300), 300)`],
    [
      'by an interval',
      `let n = 0; const t = setInterval(() => { if (++n === 4) { clearInterval(t); ${put} } }, 150)`,
    ],
    ['by a request that a timer makes', `setTimeout(() => fetch('/inner').then(() => { ${put} }), 300)`],
    [
      'where the page has timers of its own',
      `const own = setTimeout; window.setTimeout = (...all) => own(...all); setTimeout(() => { ${put} }, 500)`,
    ],
  ])('%s', async (_how, script) => {
    const { shown, loaded } = await read(
      `<title>T</title>${long}<div id="late"></div><script>${script}</script>`,
    );
    expect(shown.html).toContain('<p>It came late</p>');
    expect(loaded).toMatchObject({ settled: true, warnings: [] });
  });

  it('but a clock is not waited for', async () => {
    const clock = `setInterval(() => { document.getElementById('late').textContent = new Date().toISOString() }, 50)`;
    const { loaded } = await read(`${long}<div id="late"></div><script>${clock}</script>`);
    expect(loaded).toMatchObject({ settled: true, warnings: [] });
  });
});

describe('the content of frames is read', () => {
  it('behind their elements, with links that hold in the page', async () => {
    const { shown } = await read(
      `${long}<iframe src="/inner" width="300" height="200"></iframe><p>After</p>`,
    );
    expect(readVisibleText(shown.html)).toMatch(/Of the frame\nlink\nAfter$/);
    expect(shown.html).toContain(`<section data-frame="${bench.site.origin}/inner">`);
    expect(shown.html).toContain(`href="${bench.site.origin}/rel"`);
  });

  it.each([
    ['of an address of its own', (_html: string) => `<iframe src="/slow-part"></iframe>`],
    ['that the page holds', (html: string) => `<iframe srcdoc="${html.replaceAll('"', '&quot;')}"></iframe>`],
  ])('when it has come by a timer, in one %s', async (_which, frameOf) => {
    const part = `<p id="late"></p><script>setTimeout(() => { late.textContent = 'It came late' }, 600)</script>`;
    bench.site.serve('/slow-part', part);
    const { shown, loaded } = await read(long + frameOf(part));
    expect(readVisibleText(shown.html)).toMatch(/It came late$/);
    expect(loaded).toMatchObject({ settled: true, warnings: [] });
  });

  it('but one that nobody sees is not waited for', { retry: 2 }, async () => {
    bench.site.serve('/ticking', '<script>setInterval(() => {}, 50); setTimeout(() => {}, 900)</script>');
    const startedAt = performance.now();
    await read(`${long}<iframe src="/ticking" width="1" height="1"></iframe>`);
    expect(performance.now() - startedAt).toBeLessThan(900);
  });

  it('with as much of their addresses as tells them apart', async () => {
    const { shown } = await read(
      `${long}<iframe src="data:text/html,<p>Of the frame</p><!--${'&'.repeat(100_000)}" width="300" height="200"></iframe>`,
    );
    const [, address = ''] = /<section data-frame="([^"]*)"><p>Of the frame/.exec(shown.html) ?? [];
    expect(address).toMatch(/^data:text\/html/);
    expect(address.length).toBeLessThan(20_000);
  });

  it('in the place of a frameset, also of one in a frame', async () => {
    bench.site.serve('/set', '<frameset rows="50%,50%"><frame src="/inner"></frameset>');
    const { shown } = await read(
      '<title>Set</title><frameset cols="50%,50%"><frame src="/set"><frame src="/inner"></frameset>',
    );
    expect(readVisibleText(shown.html).match(/Of the frame/g)).toHaveLength(2);
  });
});

describe('XML', () => {
  it.each([
    ['without a style sheet', ''],
    ['whose style sheet is missing', '<?xml-stylesheet type="text/xsl" href="/no-such-sheet"?>'],
  ])('%s is read as it came', async (_what, sheet) => {
    const xml = `<?xml version="1.0"?>${sheet}<records><record>Slate</record></records>`;
    const { source } = await read(xml, 'text/xml');
    expect(source).toMatchObject({ text: xml, warnings: [{ code: 'xml_not_styled' }] });
  });

  it('is the page that its style sheet makes of it', async () => {
    const names = 'version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"';
    const sheet = `<xsl:stylesheet ${names}><xsl:template match="/"><html><body><h1><xsl:value-of select="a"/></h1></body></html></xsl:template></xsl:stylesheet>`;
    bench.site.serve('/sheet', sheet, 'text/xsl');
    const { source, shown, loaded } = await read(
      '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/sheet"?><a>Slate</a>',
      'text/xml',
    );
    expect(source).toBeNull();
    expect(shown.html).toContain('<h1>Slate</h1>');
    expect(loaded.settled).toBe(true);
  });
});

describe('a picture', () => {
  async function shoot(
    html: string,
    options: Partial<ScreenshotOptions> = {},
    told: Partial<LoadedPage> = {},
  ) {
    bench.site.serve('/picture', html);
    const shot = await bench.withPage({}, async (page, lease) => {
      const loaded = await loadPage(page, { url: `${bench.site.origin}/picture`, timeoutMs: 10_000, lease });
      const banners = (await dismissCookieBanner(page, { ...loaded, ...told })).map(({ code }) => code);
      return { ...(await captureScreenshot(page, { format: 'png', ...options })), banners };
    });
    const colourAt = async (left: number, top: number) => {
      const pixel = sharp(shot.image).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw();
      return [...(await pixel.toBuffer())];
    };
    return { ...shot, colourAt };
  }

  it.each([
    ['do nothing', '', true],
    ['take it away', 'document.getElementById("ask").remove()', false],
    ['let it fade', 'document.getElementById("ask").style.opacity = 0', false],
  ])('has no cookie banner whose buttons %s, and keeps a bar of links', async (_what, answer, isHidden) => {
    const html = `<body style="margin:0;background:lime;overflow:hidden"><p>Slate</p>
      <header style="position:sticky;top:0;height:50px;background:blue"><nav><a href="/">Home</a> <a href="/cookies">Cookies</a></nav></header>
      <div style="position:fixed;inset:0;background:black"></div>
      <form style="position:fixed;left:0;top:300px;padding-top:60px;background:purple"><input type="email"><button>Sign in</button> By signing in you consent to cookies.</form>
      <div id="ask" role="dialog" style="transition:opacity .4s;position:fixed;inset:auto 0 0;height:200px;background:red">
      <p>We and our partners use cookies. Do you accept all cookies?</p>
      <button onclick='${answer}'>Accept all</button><button onclick='${answer}'>Reject all</button></div>`;
    const { colourAt, banners } = await shoot(html);
    expect(banners).toEqual(['cookie_banner_refused', ...(isHidden ? ['cookie_banner_hidden'] : [])]);
    if (!isHidden) return;
    expect(await colourAt(5, 715)).toEqual([0, 255, 0]);
    expect(await colourAt(600, 60)).toEqual([0, 0, 255]);
    expect(await colourAt(5, 320)).toEqual([128, 0, 128]);
  });

  it.each([
    ['in a shadow tree', '<div><template shadowrootmode="open">BANNER</template></div>', 'We use cookies'],
    ['in another language', 'BANNER', '当サイトではクッキーを使用しています。'],
  ])('has no cookie banner %s', async (_where, place, words) => {
    const banner = `<div style="position:fixed;inset:0;background:black"></div><div style="position:fixed;inset:auto 0 0;height:200px;background:red">${words} <button>OK</button></div>`;
    const { colourAt } = await shoot(
      `<body style="background:lime"><p>Slate</p>${place.replace('BANNER', banner)}`,
    );
    expect([await colourAt(5, 715), await colourAt(640, 300)]).toEqual([
      [0, 255, 0],
      [0, 255, 0],
    ]);
  });

  it('has a form to sign in that tells of cookies', async () => {
    const { colourAt } = await shoot(
      `<body><div style="position:fixed;inset:auto 0 0;height:200px;background:blue">See our policy on cookies. <input type="password"><button>Sign in</button></div>`,
    );
    expect(await colourAt(5, 715)).toEqual([0, 0, 255]);
  });

  it('of a page that loads itself again to be without its cookie banner has none', async () => {
    const banner = `<div id="cookie-banner" style="position:fixed;inset:auto 0 0;height:200px;background:red">
      <p>We and our partners use cookies. Do you accept all cookies?</p>
      <button onclick="answer()">Accept all</button><button onclick="answer()">Reject all</button></div>`;
    const answer = 'function answer() { document.cookie = "answer=no"; location.reload(); }';
    const html = `<body style="background:lime"><p>Slate</p>${banner}<script>${answer}</script>`;
    const { colourAt, banners } = await shoot(html);
    expect(await colourAt(5, 715)).toEqual([0, 255, 0]);
    expect(banners).toEqual(['cookie_banner_refused', 'cookie_banner_hidden']);
    // Of one that was held before nobody knows whether the answer would load it again: the banner stands there.
    expect((await shoot(html, {}, { sinceTold: () => 'held' })).banners).toEqual(banners);
  });

  it('of a page that is wider than the window has all of it', async () => {
    const wide = '<body style="margin:0"><div style="width:2000px;height:100px;background:lime"></div>';
    const { width, colourAt } = await shoot(wide, { fullPage: true });
    expect(width).toBe(2000);
    expect(await colourAt(1990, 50)).toEqual([0, 255, 0]);
    const cut = await shoot(`<style>body { overflow-x: hidden }</style>${wide}`, { fullPage: true });
    expect(cut.width).toBe(1280);
  });

  it('has neither a cookie banner nor what it darkens and locks the page with', async () => {
    const { height, colourAt } = await shoot(
      `<style>body { margin: 0; background: white; overflow: hidden; position: fixed; width: 100% }</style>
      <div style="position: fixed; inset: 0; background: rgba(0, 0, 0, 0.7)"></div>
      <div id="cookie-layer" style="position: fixed; bottom: 0; width: 100%; height: 100px; background: red">We use cookies</div>
      <div style="height: 3000px"></div>`,
      { fullPage: true },
    );
    expect(height).toBe(3000);
    expect(await colourAt(640, 690)).toEqual([255, 255, 255]);
  });

  it.each([
    ['by itself', '<img loading="lazy" src="/image.png?lazy" width="100" height="100">'],
    [
      'by a script',
      `<img data-src="/image.png?script" width="100" height="100"><script>
      new IntersectionObserver(([one]) => { if (one.isIntersecting) one.target.src = one.target.dataset.src; }).observe(document.images[0]);</script>`,
    ],
  ])('of an element has its image that is loaded late %s', async (_how, image) => {
    const { colourAt } = await shoot(`${long.repeat(20)}<div id="chosen">${image}</div>`, {
      selector: '#chosen',
    });
    expect(await colourAt(50, 50)).not.toEqual([255, 255, 255]);
  });
});
