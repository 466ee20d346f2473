import { afterAll, beforeAll, expect, test } from 'vitest';

import { prepareFonts } from '../../src/workers/browser/fonts.ts';
import { loadPage } from '../../src/workers/page/load/load.ts';
import { type BrowserBench, startBrowserBench, testDataFolder } from '../support/browser.ts';

const scriptFonts: Record<string, RegExp> = {
  bengali: /Bengali/,
  tamil: /Tamil/,
  telugu: /Telugu/,
  kannada: /Kannada/,
  malayalam: /Malayalam/,
  gujarati: /Gujarati/,
  punjabi: /Gurmukhi/,
  oriya: /Oriya/,
  sinhala: /Sinhala/,
  amharic: /Ethiopic/,
  khmer: /Khmer/,
  burmese: /Myanmar/,
  tibetan: /Tibetan/,
  dhivehi: /Thaana/,
  cherokee: /Cherokee/,
  syriac: /Syriac/,
  javanese: /Javanese/,
  balinese: /Balinese/,
  santali: /Ol Chiki/,
  manipuri: /Meetei/,
};

let bench: BrowserBench;
/** Font family and number of glyphs, by script. */
let drawn: Record<string, { family: string; glyphs: number }[]> = {};

beforeAll(async () => {
  bench = await startBrowserBench();
  drawn = await bench.withPage({}, async (page, lease) => {
    await loadPage(page, { url: `${bench.site.origin}/scripts`, timeoutMs: 10_000, lease });
    const session = await page.createCDPSession();
    await session.send('DOM.enable');
    await session.send('CSS.enable');
    const { root } = await session.send('DOM.getDocument');
    const found: typeof drawn = {};
    for (const name of [
      'latin',
      'cyrillic',
      'greek',
      'arabic',
      'hebrew',
      'devanagari',
      'thai',
      'chinese',
      'japanese',
      'korean',
      'emoji',
      'keycaps',
      'joined',
      'urdu',
      'radicals',
      ...Object.keys(scriptFonts),
    ]) {
      const { nodeId } = await session.send('DOM.querySelector', {
        nodeId: root.nodeId,
        selector: `#${name}`,
      });
      const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
      found[name] = fonts.map(({ familyName, glyphCount }) => ({ family: familyName, glyphs: glyphCount }));
    }
    return found;
  });
}, 60_000);
afterAll(() => bench[Symbol.asyncDispose]());

test.each([
  ['thai', /Thai/],
  ['chinese', /Noto Sans SC|CJK/],
  ['japanese', /Noto Sans JP|CJK/],
  ['korean', /Noto Sans KR|CJK/],
  ['emoji', /Emoji/],
  ['urdu', /Nastaliq/],
  ['radicals', /Noto Sans SC|CJK/],
  ...Object.entries(scriptFonts),
])('%s is drawn with a font that has it', (script, family) => {
  expect(drawn[script]?.some((font) => family.test(font.family) && font.glyphs >= 3)).toBe(true);
});

test.each(['keycaps', 'joined'])('%s are one picture each', (line) => {
  expect(drawn[line]).toEqual([{ family: expect.stringMatching(/Emoji/), glyphs: 3 }]);
});

test('every script has glyphs of its own, none the box of a missing one', async () => {
  const missing = await bench.withPage({}, async (page, lease) => {
    await loadPage(page, { url: `${bench.site.origin}/scripts`, timeoutMs: 10_000, lease });
    return page.evaluate(() => {
      const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      if (!canvas) return ['no canvas'];
      const draw = (text: string): string => {
        canvas.clearRect(0, 0, 80, 80);
        canvas.font = '40px sans-serif';
        canvas.fillText(text, 5, 50);
        return canvas.getImageData(0, 0, 80, 80).data.join();
      };
      const box = draw('\u{10FFFD}');
      const blank = draw(' ');
      return [...document.querySelectorAll('p')]
        .filter((line) => {
          const [character = ' '] = line.textContent;
          const picture = draw(character);
          return picture === box || picture === blank;
        })
        .map((line) => line.id);
    });
  });
  expect(missing).toEqual([]);
});

test('several parts of a process prepare the fonts side by side', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => prepareFonts(testDataFolder)));
  expect(new Set(made.map((env) => env['FONTCONFIG_FILE'])).size).toBe(1);
});
