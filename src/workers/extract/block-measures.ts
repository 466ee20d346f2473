import type { Block } from './blocks.ts';
import { isDense, lettersOfDense } from './text-size.ts';

export interface Plain {
  chars: number;
  words: number;
  sentences: number;
  commas: number;
  digits: number;
  upper: number;
  link: number;
}

export const sentenceEnds = new Set(['.', '!', '?', '…', '。', '！', '？', '؟', '।']);
const commaMarks = new Set([',', '、', '，', ';', '،']);

export function measure({ text, linkChars }: Block): Plain {
  let [chars, words, sentences, commas, digits, upper] = [0, 0, 0, 0, 0, 0];
  let inWord = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 32 || code === 160) {
      inWord = false;
      continue;
    }
    chars++;
    if (!inWord) words++;
    inWord = true;
    if (code >= 48 && code <= 57) digits++;
    else if (code >= 65 && code <= 90) upper++;
    else if (code < 48 || code > 122) {
      const mark = text[i] as string;
      if (sentenceEnds.has(mark)) {
        const next = text.charCodeAt(i + 1);
        if (Number.isNaN(next) || next <= 32 || code > 0x2000 || next === 34 || next === 0x201d) sentences++;
      } else if (commaMarks.has(mark)) commas++;
      else if (isDense(code)) {
        words += 0.5;
        chars += lettersOfDense - 1;
      }
    } else if (code === 63 || code === 59) {
      if (code === 63) sentences++;
      else commas++;
    }
  }
  return { chars, words, sentences, commas, digits, upper, link: Math.min(chars, linkChars) };
}

export const log = (value: number): number => Math.log2(1 + Math.max(0, value));
export const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

/** Running totals, so that what stands between two blocks is one subtraction. */
export class Totals {
  readonly chars: Float64Array;
  readonly link: Float64Array;
  readonly sentences: Float64Array;
  readonly good: Float64Array;
  constructor(plain: readonly Plain[], goods: readonly number[]) {
    const size = plain.length + 1;
    this.chars = new Float64Array(size);
    this.link = new Float64Array(size);
    this.sentences = new Float64Array(size);
    this.good = new Float64Array(size);
    for (const [i, one] of plain.entries()) {
      this.chars[i + 1] = at(this.chars, i) + one.chars;
      this.link[i + 1] = at(this.link, i) + one.link;
      this.sentences[i + 1] = at(this.sentences, i) + one.sentences;
      this.good[i + 1] = at(this.good, i) + (goods[i] ?? 0);
    }
  }
}

export function at(list: Float64Array | Float32Array, index: number): number {
  return list[index] ?? 0;
}

export const between = (totals: Float64Array, first: number, end: number): number =>
  at(totals, end) - at(totals, first);
