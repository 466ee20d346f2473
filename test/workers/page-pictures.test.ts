import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { loadPage } from '../../src/workers/page/load/load.ts';
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

async function shoot(html: string, options: Partial<ScreenshotOptions> = {}) {
  bench.site.serve('/picture', html);
  const { image } = await bench.withPage({ viewport }, async (page, lease) => {
    await loadPage(page, { url: `${bench.site.origin}/picture`, timeoutMs: 10_000, lease });
    return await captureScreenshot(page, { format: 'png', ...options });
  });
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const colourAt = (left: number, top: number): number[] => {
    const first = (top * info.width + left) * 3;
    return [...data.subarray(first, first + 3)];
  };
  return { colourAt };
}

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
});
