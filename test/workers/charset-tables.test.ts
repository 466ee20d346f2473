import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeText } from '../../src/workers/page/html/charset.ts';
import { type BrowserBench, startBrowserBench } from '../support/browser.ts';

let bench: BrowserBench;
beforeAll(async () => {
  bench = await startBrowserBench();
}, 60_000);
afterAll(() => bench[Symbol.asyncDispose]());

/** What the browser's own decoder makes of the bytes. */
async function decodeInChromium(bytes: Buffer, label: string): Promise<string> {
  return await bench.withPage({ targetUrl: 'http://127.0.0.1/' }, (page) =>
    page.evaluate(
      (base64, encoding) => {
        const sent = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        return new TextDecoder(encoding).decode(sent);
      },
      bytes.toString('base64'),
      label,
    ),
  );
}

/** Every pair of bytes that can begin with a lead byte, each on a line of its own. */
function allPairs(): Buffer {
  const pairs: number[] = [];
  for (let lead = 0x81; lead <= 0xfe; lead++)
    for (let trail = 0x30; trail <= 0xfe; trail++) pairs.push(lead, trail, 0x0a);
  return Buffer.from(pairs);
}
const highBytes = Buffer.from(Array.from({ length: 128 }, (_, n) => n + 128));

/** Where Chromium departs from the Encoding standard, which is followed. */
const departures: Record<string, string[]> = {
  big5: ['Ê̄', 'Ê̌', 'ê̄', 'ê̌'],
  'euc-jp': ['\u3000'],
};

test.each(['euc-kr', 'big5', 'shift_jis', 'euc-jp', 'gbk', 'gb18030'])(
  'every pair of bytes of %s is what Chromium makes of it',
  async (label) => {
    const bytes = allPairs();
    const theirs = (await decodeInChromium(bytes, label)).split('\n');
    const ours = decodeText(bytes, label).split('\n');
    expect(ours).toHaveLength(theirs.length);
    expect(ours.filter((line, index) => line !== theirs[index])).toEqual(departures[label] ?? []);
  },
);

test.each(['windows-1251', 'windows-1252', 'koi8-u', 'ibm866', 'iso-8859-8', 'macintosh', 'windows-874'])(
  'every byte of %s is what Chromium makes of it',
  async (label) => {
    expect(decodeText(highBytes, label)).toBe(await decodeInChromium(highBytes, label));
  },
);
