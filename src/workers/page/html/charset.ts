import { getBOMEncoding, legacyHookDecode, normalizeEncoding } from '@exodus/bytes/encoding.js';
import { readContentType } from './content-type.ts';
import { findDeclaredCharset, type TextKind } from './declared-charset.ts';
import { guessCharset, guessedBytes } from './guess-charset.ts';

/** Characters of UTF-8 for each byte that is none. */
const leastValid = 20;

/** Of the head: characters whose one byte is NUL and whose other is not, in UTF-16 without a mark. */
const wideShare = 0.3;
const wideBytes = 1_024;

/** UTF-16 shows by the NULs of its ASCII characters (spaces, digits, markup), all of them on one side. */
function findWide(body: Buffer): 'utf-16le' | 'utf-16be' | null {
  const head = body.subarray(0, wideBytes);
  let [even, odd] = [0, 0];
  for (let at = 0; at + 1 < head.length; at += 2) {
    if (head[at] === 0 && head[at + 1] !== 0) even++;
    if (head[at] !== 0 && head[at + 1] === 0) odd++;
  }
  const least = Math.max(2, (head.length / 2) * wideShare);
  if (odd >= least && even * 20 < odd) return 'utf-16le';
  return even >= least && odd * 20 < even ? 'utf-16be' : null;
}

/** UTF-16, marked or not. */
export function isWideText(body: Buffer): boolean {
  return (getBOMEncoding(body) ?? findWide(body))?.startsWith('utf-16') === true;
}

/** The encoding that a Content-Type header names, as WHATWG calls it; null where it names none that is known. */
export const charsetLabelOf = (contentTypeHeader: string): string | null =>
  normalizeEncoding(readContentType(contentTypeHeader).charset ?? '');

/** There no meta declares: it is of XML, and in UTF-8 unless it says so as XML does. */
const isXhtml = (contentTypeHeader: string): boolean =>
  readContentType(contentTypeHeader).type === 'application/xhtml+xml';

/** A body that was cut within a character is still UTF-8, but for a single byte, which may be any letter of another encoding. */
function isUtf8(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return bytes.length - Buffer.byteLength(text) !== 1 || /[^\0-\x7f]/.test(text);
  } catch {
    return false;
  }
}

/** A stray byte makes no other encoding of a text: in none are so many bytes those of UTF-8 by accident. */
function isDamagedUtf8(body: Buffer): boolean {
  const text = body.toString('utf8', 0, decodedQuickly.utf8);
  let [damaged, beyondAscii] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) damaged++;
    else if (code > 0x7f) beyondAscii++;
  }
  return beyondAscii >= Math.max(1, damaged) * leastValid;
}

/** Seven bits and escape sequences: the one other encoding that passes for UTF-8. */
function isIso2022Jp(body: Buffer): boolean {
  const head = body.subarray(0, guessedBytes);
  return ['\x1b$B', '\x1b$@'].some((escape) => head.includes(escape)) && head.includes('\x1b(');
}

const toldCharset = (body: Buffer, contentTypeHeader: string): string | null =>
  getBOMEncoding(body) ?? charsetLabelOf(contentTypeHeader) ?? findWide(body);

/** Bytes in which looking for a declaration takes a few milliseconds at most, and those of a longer body in which it stands as a rule. */
const quickBytes = { whole: 16 * 1_024, head: 1_024 };
/** Of an encoding of old, and of UTF-8: what is decoded in some milliseconds, whatever the bytes. */
const decodedQuickly = { legacy: 128 * 1_024, utf8: 1_048_576 };

/**
 * As `findCharset`.
 * @returns null where the body has to be searched for a declaration, or guessed at, or decoding it takes long.
 */
export function findCharsetQuickly(body: Buffer, contentTypeHeader: string, kind: TextKind): string | null {
  const isQuick = body.length <= quickBytes.whole;
  const told =
    toldCharset(body, contentTypeHeader) ??
    (isXhtml(contentTypeHeader) ? (isQuick ? findInXhtml(body) : null) : findPlainly(body, kind, isQuick));
  return body.length <= decodedQuickly[told === 'utf-8' ? 'utf8' : 'legacy'] ? told : null;
}

const findPlainly = (body: Buffer, kind: TextKind, isQuick: boolean): string | null =>
  findDeclaredCharset(isQuick ? body : body.subarray(0, quickBytes.head), kind) ??
  (isQuick || kind !== 'html' ? plainCharset(body.subarray(0, decodedQuickly.utf8 + 1)) : null);

const findInXhtml = (body: Buffer): string | null => findDeclaredCharset(body, 'xml') ?? plainCharset(body);

const plainCharset = (body: Buffer): string | null =>
  isUtf8(body) ? (isIso2022Jp(body) ? 'iso-2022-jp' : 'utf-8') : null;

/**
 * The encoding of a body as browsers settle it: byte order mark, then header, then the document's own word,
 * then what the bytes look like.
 * @returns WHATWG name, lower case.
 */
export function findCharset(body: Buffer, contentTypeHeader: string, kind: TextKind): string {
  return (
    toldCharset(body, contentTypeHeader) ??
    (isXhtml(contentTypeHeader) ? findInXhtml(body) : null) ??
    findDeclaredCharset(body, kind) ??
    plainCharset(body) ??
    (isDamagedUtf8(body) ? 'utf-8' : null) ??
    guessCharset(body, kind) ??
    (kind === 'html' ? 'windows-1252' : 'utf-8')
  );
}

/** Bytes that are no text in the encoding become U+FFFD, and so does NUL, which many a database refuses. */
export function decodeText(body: Buffer, charset: string): string {
  // The same, and quicker.
  const isPlain = charset === 'utf-8' && getBOMEncoding(body) === null;
  const text = isPlain ? body.toString('utf8') : legacyHookDecode(body, charset);
  return text.includes('\0') ? withoutNul(text) : text;
}

/** Of millions of NULs `replaceAll` would join as many pieces. */
function withoutNul(text: string): string {
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  for (let at = 0; at < units.length; at++) if (units[at] === 0) units[at] = 0xfffd;
  return Buffer.from(units.buffer).toString('utf16le');
}
