import { createRequire } from 'node:module';
import { legacyHookDecode, normalizeEncoding } from '@exodus/bytes/encoding.js';
import chardet from 'chardet';
import type * as jschardetTypes from 'jschardet';
import type { TextKind } from './declared-charset.ts';

/** Bytes that a guess looks at: enough for statistics of letters, and some milliseconds at most. */
export const guessedBytes = 65_536;
/** Bytes beyond ASCII below which nothing is told. */
const leastBytes = 4;

const severalBytes = new Set(['big5', 'gb18030', 'gbk', 'euc-kr', 'euc-jp', 'shift_jis']);
/** Encodings of other alphabets than the Latin. */
const otherAlphabets = /^(ibm866|iso-8859-[5-8]|koi8-[ru]|windows-(874|125[1356])|x-mac-cyrillic)$/;

/**
 * What browsers guess at too: rarer ones fit English with a few quotation marks as well as windows-1252 does.
 * Names as jschardet takes them.
 */
const guessed = `
  big5hkscs gb18030 cp949 euc-kr cp932 shift_jis_2004 euc-jis-2004
  cp866 koi8-r koi8-u mac-cyrillic cp874 tis-620
  iso-8859-2 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-13
  windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258
`
  .trim()
  .split(/\s+/);
/** Names of its answers that are no labels of the Encoding standard. */
const labels: Record<string, string> = {
  cp1258: 'windows-1258',
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  maccyrillic: 'x-mac-cyrillic',
};

type Jschardet = typeof jschardetTypes;
let jschardet: Jschardet | undefined;

/** Its models take 70 MB and a fifth of a second to unpack: few processes meet a text without a label. */
const loadJschardet = (): Jschardet =>
  (jschardet ??= createRequire(import.meta.url)('jschardet') as Jschardet);

/** Tags are ASCII in every encoding and say nothing about the text between them. */
const withoutTags = (text: string): string =>
  text.replace(/<(script|style)\b[^]*?(?:<\/\1|$)|<[a-z/][^<>]*>/gi, ' ');

const high = /[\x80-\xff]/;

/** Words beside one with a byte beyond ASCII, which tell its language. */
const besideIt = 2;

/** Much English says nothing of the few words that stand in it. */
function nearHighBytes(text: string): string {
  const words = text.split(/\s+/);
  const near: string[] = [];
  let until = -1;
  for (const [at, word] of words.entries()) {
    if (high.test(word)) {
      near.push(...words.slice(Math.max(until + 1, at - besideIt, 0), at));
      until = at + besideIt;
    }
    if (at <= until) near.push(word);
  }
  return near.join(' ');
}

/** @returns bytes as Latin-1, to the end of a word where there are more. */
function sampleOf(body: Buffer, kind: TextKind): string {
  let end = Math.min(body.length, guessedBytes);
  if (end < body.length) while ((body[end - 1] ?? 0) > 0x7f) end--;
  const text = body.subarray(0, end || guessedBytes).toString('latin1');
  // Of a declaration nothing is left to see: one that counts would have been found.
  return nearHighBytes((kind === 'html' ? withoutTags(text) : text).replace(/charset|encoding/gi, ' '));
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Words of another alphabet, where quotation marks, signs and spaces of windows-1252 stand alone or in rows. */
function hasOtherWords(sample: string): boolean {
  let [bytes, different] = [0, new Set<string>()];
  for (const [word] of sample.matchAll(/[\x80-\xff]{3,}/g)) {
    bytes += word.length;
    different = new Set([...different, ...word.slice(0, 100)]);
    if (bytes >= 6 && different.size >= 4) return true;
  }
  return false;
}

const letter = /[a-z\u00c0-\u024f]/i;

/** Of the characters that windows-1252 reads otherwise, most are letters within words. */
function hasOtherLetters(bytes: Buffer, encoding: string): boolean {
  const [text, plain] = [legacyHookDecode(bytes, encoding), legacyHookDecode(bytes, 'windows-1252')];
  let [other, inWords] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === plain[at]) continue;
    other++;
    if (letter.test(text[at] ?? '') && (letter.test(text[at - 1] ?? '') || letter.test(text[at + 1] ?? '')))
      inWords++;
  }
  return inWords > 0 && inWords >= other * 0.8;
}

/** How sure a guess of letters of the Latin alphabet has to be, and which is so unsure that it may be none. */
const leastConfidence = 0.05;
const surelyRight = 0.1;

/** By statistics of letters in all languages, in which one byte that an encoding does not have rules it out. */
function guessByLetters(sample: string, bytes: Buffer): { encoding: string; isSure: boolean } {
  const { encoding, confidence } = loadJschardet().detect(bytes, { detectEncodings: guessed });
  const name = (encoding ?? 'windows-1252').toLowerCase();
  const label = labels[name] ?? normalizeEncoding(name) ?? 'windows-1252';
  const isBelieved = otherAlphabets.test(label)
    ? hasOtherWords(sample)
    : severalBytes.has(label) || (confidence >= leastConfidence && hasOtherLetters(bytes, label));
  return { encoding: isBelieved ? label : 'windows-1252', isSure: confidence >= surelyRight };
}

/** Characters for each damaged one. */
const leastValid = 20;

/** An encoding of several bytes a character, which some damaged characters do not rule out. */
function guessBySeveralBytes(bytes: Buffer): string | null {
  const [first] = chardet.analyse(bytes);
  const encoding = first && first.confidence >= 20 ? normalizeEncoding(first.name) : null;
  if (encoding === null || !severalBytes.has(encoding)) return null;
  const text = legacyHookDecode(bytes, encoding);
  const damaged = countOf(text, /\ufffd/g);
  return countOf(text, /[^\0-\x7f\ufffd]/g) >= damaged * leastValid ? encoding : null;
}

/**
 * The encoding that the bytes of a text look like, as browsers guess it.
 * @returns WHATWG name, lower case; null where there is too little to tell.
 */
export function guessCharset(body: Buffer, kind: TextKind): string | null {
  const sample = sampleOf(body, kind);
  if (countOf(sample, /[\x80-\xff]/g) < leastBytes) return null;
  const bytes = Buffer.from(sample, 'latin1');
  const { encoding, isSure } = guessByLetters(sample, bytes);
  const ofSeveral = guessBySeveralBytes(bytes);
  if (ofSeveral === null) return encoding;
  return severalBytes.has(encoding) || !isSure ? ofSeveral : encoding;
}
