import sharp from 'sharp';
import { extractText } from 'unpdf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { loadPage } from '../../src/workers/page/load/load.ts';
import { dismissCookieBanner } from '../../src/workers/page/picture/cookie-banner.ts';
import { printPdf } from '../../src/workers/page/picture/pdf.ts';
import { captureScreenshot, type ScreenshotOptions } from '../../src/workers/page/picture/screenshot.ts';
import { type BrowserBench, startBrowserBench } from '../support/browser.ts';

let bench: BrowserBench;
beforeAll(async () => {
  bench = await startBrowserBench();
  await bench.chromium.warmUp();
}, 60_000);
afterAll(() => bench[Symbol.asyncDispose]());

const viewport = { width: 800, height: 600, deviceScaleFactor: 1, mobile: false };
const orange = [255, 140, 0];
const lime = [0, 255, 0];

async function shoot(html: string, options: Partial<ScreenshotOptions> = {}) {
  bench.site.serve('/picture', html);
  const { image, banners } = await bench.withPage({ viewport }, async (page, lease) => {
    const loaded = await loadPage(page, { url: `${bench.site.origin}/picture`, timeoutMs: 10_000, lease });
    const told = (await dismissCookieBanner(page, loaded)).map(({ code }) => code);
    return { ...(await captureScreenshot(page, { format: 'png', ...options })), banners: told };
  });
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const colourAt = (left: number, top: number): number[] => {
    const first = (top * info.width + left) * 3;
    return [...data.subarray(first, first + 3)];
  };
  return { colourAt, banners };
}

describe('behind a cookie banner that is gone', { timeout: 60_000 }, () => {
  const page = (style: string, more: string, attributes = '') =>
    `<!doctype html><style>body { margin: 0; background: white } main { height: 900px; background: lime }
    .ask { position: fixed; inset: auto 0 0; height: 100px; z-index: 9; background: red }
    .over { inset: 0; z-index: 5; background: rgba(0, 0, 0, 0.6) } ${style}</style>
    <main ${attributes}>Slate</main>${more}`;
  const ask = '<div class="ask">This site uses cookies. <button>OK</button></div>';
  const inShadow = (
    html: string,
  ) => `<p-consent><template shadowrootmode="open">${html}</template></p-consent>
    <script>document.querySelector('p-consent').shadowRoot.querySelector('dialog').showModal()</script>`;

  it.each([
    ['no layer that is fixed', page('.over { position: fixed }', `<div class="over"></div>${ask}`)],
    [
      'none of two layers of which one lets clicks through',
      page(
        '.over { position: fixed }',
        `<div class="over"></div><b class="over" style="pointer-events: none"></b>${ask}`,
      ),
    ],
    [
      'no layer that moves with the page',
      page('.over { position: absolute }', `<div class="over"></div>${ask}`),
    ],
    [
      'no darkness before the body',
      page(
        'body::before { content: ""; position: fixed; inset: 0; z-index: 5; background: rgba(0, 0, 0, 0.6) }',
        ask,
      ),
    ],
    ['no blur', page('main { filter: blur(150px) }', ask)],
    ['no paleness', page('main { opacity: 0.3 }', ask, 'inert')],
    [
      'no modal dialog of a shadow tree',
      page('', inShadow('<dialog>We use cookies. <button>OK</button></dialog>')),
    ],
    [
      'no layer that its refusal leaves',
      page(
        '.over { position: fixed }',
        `<div class="over"></div><div class="ask" id="ask" role="dialog"><p>We and our partners use cookies. Do you accept all cookies?</p>
        <button onclick="ask.remove()">Accept all</button><button onclick="ask.remove()">Reject all</button></div>`,
      ),
    ],
  ])('stays %s', async (_what, html) => {
    const { colourAt, banners } = await shoot(html);
    expect(banners).toHaveLength(1);
    for (const [left, top] of [
      [5, 300],
      [400, 300],
      [400, 500],
      [795, 595],
    ] as const)
      expect(colourAt(left, top), `${left}, ${top}`).toEqual(lime);
  });

  it.each([
    [
      'the background of a page',
      page(
        'main { background: none } .own { position: fixed; inset: 0; z-index: -1; background: lime }',
        `<div class="own"></div>${ask}`,
      ),
    ],
    [
      'the picture behind a short page',
      page(
        'main { height: 50px } .own { position: fixed; inset: 0; background: linear-gradient(lime, lime) }',
        `<div class="own"></div>${ask}`,
      ),
    ],
    [
      'what tints one part of a page',
      page(
        'header { position: relative; height: 600px; background: white } header i { position: absolute; inset: 0; background: rgba(0, 255, 0, 0.5) }',
        `<script>document.body.prepend(document.createElement('header')); document.querySelector('header').innerHTML = '<i></i>'</script>${ask}`,
      ),
    ],
  ])('stays %s', async (what, html) => {
    const { colourAt } = await shoot(html);
    expect(colourAt(790, 595)).toEqual(what.startsWith('what tints') ? [127, 255, 127] : lime);
  });

  it('stays a letter that is offered, with what darkens the page for it', async () => {
    const offer =
      '<form style="position: fixed; inset: 150px 200px; z-index: 6; background: blue; color: white">Our letter, every week <input type="email"></form>';
    const { colourAt } = await shoot(
      page('.over { position: fixed }', `<div class="over"></div>${offer}${ask}`),
    );
    expect(colourAt(590, 440)).toEqual([0, 0, 255]);
    expect(colourAt(790, 595)).toEqual([0, 102, 0]);
  });
});

const observe = `<script>
  const seen = new IntersectionObserver((all) => {
    for (const { isIntersecting, target } of all) {
      if (!isIntersecting) continue;
      if (target.dataset.src) target.src = target.dataset.src;
      else target.style.backgroundImage = 'url(' + target.dataset.bg + ')';
    }
  });
  for (const one of document.querySelectorAll('[data-src],[data-bg]')) seen.observe(one);
</script>`;

describe('an element', { timeout: 60_000 }, () => {
  const size = 'width="200" height="100" style="display: block; width: 200px; height: 100px"';
  const parts = Array.from({ length: 6 }, (_, index) => index);
  it.each([
    ['a background that is set when it is seen', `<div data-bg="/late-image.png" ${size}></div>`, [50]],
    [
      'a background of a part that is not drawn before',
      `<div style="content-visibility: auto"><div style="height: 100px; background: url(/late-image.png)"></div></div>`,
      [50],
    ],
    [
      'an image of a shadow tree',
      `<p-image><template shadowrootmode="open"><img loading="lazy" src="/late-image.png" ${size}></template></p-image>`,
      [50],
    ],
    [
      'an image that has a set of sources only',
      `<img loading="lazy" srcset="/late-image.png 1x" ${size}>`,
      [50],
    ],
    [
      'all its images, though it is taller than the window',
      parts
        .map((part) => `<div style="height: 700px"><img data-src="/late-image.png?${part}" ${size}></div>`)
        .join(''),
      parts.map((part) => 700 * part + 50),
    ],
  ])('has %s', async (_what, html, rows) => {
    const far = '<div style="height: 4000px">Slate</div>';
    const whole = `<!doctype html>${far}<div id="chosen">${html}</div>${far}${observe}`;
    const { colourAt } = await shoot(whole, { selector: '#chosen' });
    for (const row of rows) expect(colourAt(50, row), `row ${row}`).toEqual(orange);
  });
});

describe('the full page', { timeout: 60_000 }, () => {
  it('has a background that is set when it is seen, asked for once', async () => {
    const html = `<!doctype html><style>body { margin: 0 }</style><div style="height: 4000px">Slate</div>
      <div data-bg="/late-image.png?full" style="height: 100px"></div>${observe}`;
    const { colourAt } = await shoot(html, { fullPage: true });
    expect(colourAt(50, 4050)).toEqual(orange);
    expect(bench.site.requests.filter(({ path }) => path === '/late-image.png?full')).toHaveLength(1);
  });

  it('has a background that is fixed to the window where its element stands', async () => {
    const html = `<!doctype html><style>body { margin: 0 } div { height: 900px } body * { --own: url(/image.png) fixed }
      p { margin: 0; height: 600px; background: var(--own) }
      section { position: relative; height: 600px } section::before { content: ''; position: absolute; inset: 0; background: var(--own) }
      </style><div>Slate</div><p></p><section></section>`;
    const { colourAt } = await shoot(html, { fullPage: true });
    for (const row of [905, 1495, 1505, 2095]) expect(colourAt(400, row), `row ${row}`).toEqual(orange);
  });

  it('has a menu at its side from the top on, and what stands at the foot of the window at its own', async () => {
    const html = `<!doctype html><style>body { margin: 0 } div { height: 3000px }
      nav { position: fixed; top: 50px; bottom: 0; left: 0; width: 200px; background: lime }
      aside { position: fixed; bottom: 10px; right: 10px; height: 350px; width: 200px; background: rgb(255, 140, 0) }
      </style><div></div><nav>Menu</nav><aside>Talk to us</aside>`;
    const { colourAt } = await shoot(html, { fullPage: true });
    expect([colourAt(100, 55), colourAt(100, 595), colourAt(100, 2990)]).toEqual([
      lime,
      lime,
      [255, 255, 255],
    ]);
    expect([colourAt(700, 400), colourAt(700, 2645)]).toEqual([[255, 255, 255], orange]);
  });
});

describe('a pdf', { timeout: 60_000 }, () => {
  const print = (html?: string) =>
    bench.withPage({}, async (page, lease) => {
      const url = html === undefined ? `${bench.site.origin}/article` : 'about:srcdoc';
      await loadPage(page, { url, timeoutMs: 10_000, lease, ...(html === undefined ? {} : { html }) });
      const header = '<p>at <span class="url"></span> of <span class="title"></span></p>';
      const { image } = await printPdf(page, {
        layout: { header, landscape: false, scale: 1, background: true },
      });
      return (await extractText(new Uint8Array(image), { mergePages: true })).text;
    });

  it('has the address of its page at its head, and none of a page that a request brings', async () => {
    expect(await print()).toContain(`${bench.site.origin}/article`);
    const brought = await print('<p>Slate</p>');
    expect(brought).toContain('Slate');
    expect(brought).not.toContain('data:');
  });
});
