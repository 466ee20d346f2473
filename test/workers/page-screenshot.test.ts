import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Viewport } from '../../src/workers/browser/page-setup.ts';
import { readImageSize } from '../../src/workers/page/picture/image-size.ts';
import { loadPage } from '../../src/workers/page/load/load.ts';
import { printPdf } from '../../src/workers/page/picture/pdf.ts';
import {
  captureScreenshot,
  type Screenshot,
  type ScreenshotOptions,
} from '../../src/workers/page/picture/screenshot.ts';
import { type BrowserBench, failureOf, startBrowserBench } from '../support/browser.ts';

const desktop: Viewport = { width: 800, height: 600, deviceScaleFactor: 1, mobile: false };

describe('a screenshot', { timeout: 90_000 }, () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await startBrowserBench();
    await bench.chromium.warmUp();
  }, 60_000);
  afterAll(() => bench[Symbol.asyncDispose]());

  function shoot(
    path: string,
    options: Partial<ScreenshotOptions> = {},
    { script, ...setup }: { viewport?: Partial<Viewport>; darkMode?: boolean; script?: string } = {},
  ): Promise<Screenshot> {
    const pageOptions = { ...setup, viewport: { ...desktop, ...setup.viewport } };
    return bench.withPage(pageOptions, async (page, lease) => {
      await loadPage(page, { url: bench.site.origin + path, timeoutMs: 10_000, lease });
      if (script !== undefined) await page.evaluate(script);
      return captureScreenshot(page, { format: 'png', ...options });
    });
  }

  describe('is what was asked', () => {
    it.each(['png', 'jpeg', 'webp'] as const)('a %s of the viewport', async (format) => {
      const shot = await shoot('/article', { format });
      expect(shot).toMatchObject({ width: 800, height: 600, truncated: false, warnings: [] });
      expect((await sharp(shot.image).metadata()).format).toBe(format);
      expect(readImageSize(shot.image)).toEqual({ width: 800, height: 600 });
    });

    it('with text on it, also where the machine has no fonts', async () => {
      const { image } = await shoot('/article-plain');
      const { channels } = await sharp(image).extract({ left: 0, top: 0, width: 400, height: 150 }).stats();
      expect(channels[0]?.min).toBeLessThan(100);
      expect(channels[0]?.stdev).toBeGreaterThan(10);
    });

    it('in device pixels', async () => {
      expect(await shoot('/article', {}, { viewport: { deviceScaleFactor: 2 } })).toMatchObject({
        width: 1600,
        height: 1200,
      });
    });

    it('of a phone, which shows a page without a viewport tag smaller to fit', async () => {
      const viewport = { width: 390, height: 844, deviceScaleFactor: 2, mobile: true };
      expect(await shoot('/article', { fullPage: true }, { viewport })).toMatchObject({ width: 780 });
    });

    it('light by default, dark when asked', async () => {
      expect(await colorAt((await shoot('/dark-mode')).image, 700, 500)).toEqual([255, 255, 255]);
      expect(await colorAt((await shoot('/dark-mode', {}, { darkMode: true })).image, 700, 500)).toEqual([
        0, 0, 0,
      ]);
    });

    it('of an image that is the target itself', async () => {
      expect(await colorAt((await shoot('/image.png')).image, 400, 300)).toEqual([255, 140, 0]);
    });

    it('of a page of a million characters that the client brought', async () => {
      const style = '<!DOCTYPE html><style>body { background: rgb(0, 128, 0); font-size: 0 }</style><p>';
      const html = style.padEnd(1_000_000, 'x');
      const { image } = await bench.withPage({ viewport: desktop }, async (page, lease) => {
        await loadPage(page, { url: 'about:blank', html, timeoutMs: 20_000, lease });
        return captureScreenshot(page, { format: 'png' });
      });
      expect(await colorAt(image, 400, 300)).toEqual([0, 128, 0]);
    });

    it('of as long a page of characters of three bytes each', async () => {
      const script = 'document.title = [self.origin, typeof localStorage, document.compatMode]';
      const inside = `<title></title><script>try { ${script} } catch (error) { document.title = error.name }</script><img src="relative.png">`;
      const html = `<!DOCTYPE html>${inside}<body style="background: rgb(0, 128, 0); font-size: 0">`.padEnd(
        1_000_000,
        '石',
      );
      const { image, loaded } = await bench.withPage({ viewport: desktop }, async (page, lease) => {
        const told = await loadPage(page, { url: 'about:srcdoc', html, timeoutMs: 20_000, lease });
        return { loaded: told, ...(await captureScreenshot(page, { format: 'png' })) };
      });
      expect(loaded).toMatchObject({
        finalUrl: 'about:srcdoc',
        title: 'SecurityError',
        settled: true,
        warnings: [],
      });
      expect(await colorAt(image, 400, 300)).toEqual([0, 128, 0]);
    });

    it('with finite animations at their end', async () => {
      expect(await colorAt((await shoot('/animated')).image, 400, 100)).toEqual([0, 128, 0]);
    });
  });

  it.each(['/moving', '/animated'])('of a page that moves (%s) is the same every time', async (path) => {
    const first = await shoot(path, { fullPage: true });
    const later = await shoot(path, { fullPage: true, delay: 530 });
    expect(later.image.equals(first.image)).toBe(true);
  });

  describe('of the full page', () => {
    it('has every lazy image', async () => {
      const { image, height } = await shoot('/lazy-images', { fullPage: true });
      expect(height).toBe(12 * 600);
      for (let index = 0; index < 12; index++) {
        expect(await colorAt(image, 250, index * 600 + 150), `picture ${index + 1}`).toEqual([255, 140, 0]);
      }
    });

    it('has what stays in view once: headers at the top, a footer at the bottom, all else between', async () => {
      const { image, height } = await shoot('/sticky', { fullPage: true });
      expect(height).toBe(8 * 500 + 150);
      const bars = { 'rgb(200,0,0)': '0-50', 'rgb(0,0,200)': '50-90', 'rgb(0,120,0)': '4090-4150' };
      expect(await bandsOf(image, 790, Object.keys(bars))).toEqual(Object.entries(bars));
      const pictures = await bandsOf(image, 180, ['rgb(255,140,0)']);
      expect(pictures).toHaveLength(8);
    });

    it('shows all that an element scrolls in place of the window', async () => {
      const { image, height, truncated } = await shoot('/inner-scroller', { fullPage: true });
      expect({ height, truncated }).toEqual({ height: 50 + 8 * 500, truncated: false });
      expect(await bandsOf(image, 790, ['rgb(200,0,0)'])).toEqual([['rgb(200,0,0)', '0-50']]);
      expect(await bandsOf(image, 180, ['rgb(255,140,0)'])).toHaveLength(8);
      const cut = await shoot('/inner-scroller', { fullPage: true, maxHeight: 2_000 });
      expect(cut).toMatchObject({ height: 2_000, truncated: true });
    });

    it('is as wide as the page; of one without end as wide as the window', async () => {
      bench.site.serve('/broad', '<title>Broad</title><div style="width: 3000px; height: 20px">Broad</div>');
      expect(await shoot('/broad', { fullPage: true })).toMatchObject({ truncated: false, warnings: [] });
      expect((await shoot('/broad', { fullPage: true })).width).toBeGreaterThanOrEqual(3_000);
      const expected = { width: 800, height: 600, truncated: true, warnings: [{ code: 'image_truncated' }] };
      expect(await shoot('/wide', { fullPage: true })).toMatchObject(expected);
    });

    it('is cut at maxHeight, and says so', async () => {
      const shot = await shoot('/tall', { fullPage: true, maxHeight: 20_000 });
      expect(shot).toMatchObject({
        height: 20_000,
        truncated: true,
        warnings: [{ code: 'image_truncated' }],
      });
      expect(await colorAt(shot.image, 700, 19_900)).not.toEqual([255, 255, 255]);
    });

    it('is cut where the format ends', async () => {
      const shot = await shoot('/tall', { fullPage: true, format: 'webp' });
      expect(shot).toMatchObject({ height: 16_383, truncated: true });
    });

    it('of a page that grows as it is scrolled comes to an end', async () => {
      const shot = await shoot('/infinite-scroll', { fullPage: true, maxHeight: 5_000 });
      expect(shot).toMatchObject({ height: 5_000, truncated: true });
    });
  });

  describe('of an element', () => {
    it('is its box, wherever it stands', async () => {
      const { image, width, height } = await shoot('/elements', { selector: '#card' });
      expect({ width, height }).toEqual({ width: 300, height: 150 });
      expect(await colorAt(image, 290, 140)).toEqual([0, 0, 128]);
    });

    it.each([
      ['#nothing', 'selector_not_found'],
      ['#empty', 'selector_not_found'],
      ['[[', 'invalid_request'],
    ])('%s: %s', async (selector, code) => {
      expect((await failureOf(shoot('/elements', { selector }))).code).toBe(code);
    });
  });

  it('leaves out what is to be hidden and takes a style sheet', async () => {
    const { image } = await shoot('/elements', {
      hideSelectors: ['#banner'],
      css: 'body { background: yellow }',
    });
    expect(await colorAt(image, 400, 10)).toEqual([255, 255, 0]);
    const invalid = await failureOf(shoot('/elements', { hideSelectors: ['p', '[['] }));
    expect(invalid).toMatchObject({ code: 'invalid_request', errors: [{ path: 'hideSelectors.1' }] });
  });

  it('hides what stands in an open shadow tree, and stands still beside an svg that is none', async () => {
    const html = `<style>body { animation: turn 1000s forwards } @keyframes turn { to { background: rgb(0, 128, 0) } }</style>
      <body><div id="host"></div><script>
      document.body.append(document.createElement('svg'));
      document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML =
        '<div class="banner" style="position:fixed;inset:0;background:red"></div>';
      </script>`;
    const shot = await bench.withPage({ viewport: desktop }, async (page, lease) => {
      await loadPage(page, { url: bench.site.origin, html, timeoutMs: 10_000, lease });
      return captureScreenshot(page, { format: 'png', hideSelectors: ['.banner'] });
    });
    expect(await colorAt(shot.image, 400, 300)).toEqual([0, 128, 0]);
  });

  it('that cannot be drawn whole is image_too_large', async () => {
    const viewport = { width: 3840, height: 4320, deviceScaleFactor: 3 };
    expect((await failureOf(shoot('/article', {}, { viewport }))).code).toBe('image_too_large');
  });

  describe('of a page that was stopped', () => {
    const shootStopped = (path: string, options: Partial<ScreenshotOptions> = {}) =>
      bench.withPage({ viewport: desktop }, async (page, lease) => {
        const { settled } = await loadPage(page, {
          url: bench.site.origin + path,
          timeoutMs: 4_000,
          lease,
        });
        expect(settled).toBe(false);
        return await captureScreenshot(page, { format: 'png', ...options });
      });

    it.each([{}, { fullPage: true }])('before its body is what stands there (%j)', async (options) => {
      const path = '/leads-to-itself';
      const style = '<style>html { background: rgb(0, 128, 0) }</style>';
      bench.site.serve(path, `<title>Again</title>${style}<script>location.reload()</script><h1>Never</h1>`);
      const shots = await Promise.all([path, '/slow-head'].map((stopped) => shootStopped(stopped, options)));
      for (const { image, width, height } of shots) {
        expect({ width, height }).toEqual({ width: 800, height: 600 });
        expect(await colorAt(image, 400, 300)).toEqual([0, 128, 0]);
      }
    });

    it('does not wait for ever for what it asks for only then', async () => {
      const css =
        '@font-face { font-family: late; src: url(/never-answers?font) } body { font-family: late }';
      const asked = [{ fullPage: true }, { selector: '#late' }, { css }];
      const shots = await Promise.all(asked.map((options) => shootStopped('/slow-images', options)));
      expect(shots[0]?.height).toBeGreaterThan(5_000);
      expect(shots.slice(1)).toMatchObject([{ width: 10 }, { warnings: [{ code: 'fonts_not_loaded' }] }]);
    });
  });

  it('of a page that hangs ends at its deadline', async () => {
    const hanging = shoot('/article', { timeoutMs: 1_000 }, { script: 'setTimeout(() => { for (;;); })' });
    expect((await failureOf(hanging)).code).toBe('page_unresponsive');
  });
});

async function colorAt(image: Buffer, left: number, top: number): Promise<number[]> {
  const region = sharp(image).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw();
  return [...(await region.toBuffer())];
}

/** Where a column of the image has one of the colours: the colour, and from which row to which. */
async function bandsOf(image: Buffer, left: number, colours: string[]): Promise<[string, string][]> {
  const { height } = readImageSize(image);
  const column = sharp(image).extract({ left, top: 0, width: 1, height }).removeAlpha().raw();
  const pixels = await column.toBuffer();
  const colourAt = (row: number): string => `rgb(${[...pixels.subarray(row * 3, row * 3 + 3)].join()})`;
  const bands: [string, string][] = [];
  for (let from = 0; from < height;) {
    let to = from;
    while (to < height && colourAt(to) === colourAt(from)) to++;
    if (colours.includes(colourAt(from))) bands.push([colourAt(from), `${from}-${to}`]);
    from = to;
  }
  return bands;
}

describe('a pdf', { timeout: 90_000 }, () => {
  it('of a page that was stopped before its body is a sheet', async () => {
    await using bench = await startBrowserBench();
    const printed = await bench.withPage({}, async (page, lease) => {
      await loadPage(page, { url: `${bench.site.origin}/reload-loop`, timeoutMs: 10_000, lease });
      return await printPdf(page, {});
    });
    expect(printed).toMatchObject({ truncated: false });
  });

  it.each([
    [200, false],
    [201, true],
  ])('of %i sheets ends early: %s', async (sheets, truncated) => {
    await using bench = await startBrowserBench();
    bench.site.serve('/sheets', '<p style="break-before: page">Sheet</p>'.repeat(sheets));
    const printed = await bench.withPage({}, async (page, lease) => {
      await loadPage(page, { url: `${bench.site.origin}/sheets`, timeoutMs: 10_000, lease });
      return await printPdf(page, {});
    });
    expect(printed).toMatchObject({ truncated, warnings: truncated ? [{ code: 'image_truncated' }] : [] });
  });
});
