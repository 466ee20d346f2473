import chardet from 'chardet';
import sniffEncoding from 'html-encoding-sniffer';

export type TextKind = 'html' | 'xml' | 'text';

/** Bytes that the guess looks at: enough for its statistics, little enough to take a millisecond. */
const guessedBytes = 65_536;
/** Where Chromium still looks for a `<meta charset>`, past the 1,024 bytes of the standard. */
const metaBytes = 65_536;
/** A guess below this is worse than the default. */
const leastConfidence = 20;

const namesByLabel = new Map<string, string | null>();
const rememberedLabels = 1_000;

function labelToName(label: string | undefined): string | null {
  if (label === undefined) return null;
  let name = namesByLabel.get(label);
  if (name === undefined) {
    try {
      name = new TextDecoder(label).encoding;
    } catch {
      name = null;
    }
    if (namesByLabel.size < rememberedLabels) namesByLabel.set(label, name);
  }
  return name;
}

function markedBy(body: Buffer): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : null;
}

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
  return (markedBy(body) ?? findWide(body))?.startsWith('utf-16') === true;
}

/** The encoding that a Content-Type header names, as WHATWG calls it; null where it names none that is known. */
export function charsetLabelOf(contentTypeHeader: string): string | null {
  return labelToName(/;\s*charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentTypeHeader)?.[1]);
}

function isUtf8(bytes: Buffer): boolean {
  try {
    // Streaming: a body that was cut within a character is still UTF-8.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** In comments and scripts a declaration is a text about one. */
const unread = /<!--[^]*?(?:-->|$)|<(script|style|textarea|title)\b[^]*?(?:<\/\1\s*>|$)/gi;

function declaredIn(body: Buffer, kind: TextKind): string | null {
  const head = body.subarray(0, metaBytes).toString('latin1').replace(unread, ' ');
  const label =
    kind === 'xml'
      ? /^\s*<\?xml[^>]{0,200}\sencoding\s*=\s*["']([\w.:-]{1,40})/.exec(head)?.[1]
      : /<meta\s[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head)?.[1];
  const name = labelToName(label);
  // Whoever can read the declaration as ASCII cannot be reading UTF-16 (HTML standard, encoding sniffing).
  return name?.startsWith('utf-16') ? 'utf-8' : name;
}

/** Tags are ASCII in every encoding and say nothing about the text between them. */
function withoutTags(body: Buffer): Buffer {
  const text = body.subarray(0, guessedBytes).toString('latin1');
  return Buffer.from(
    text
      .replace(/<!--[^]*?-->/g, ' ')
      .replace(/<(script|style)\b[^]*?<\/\1\s*>/gi, ' ')
      .replace(/<[^<>]*>/g, ' '),
    'latin1',
  );
}

/** Seven bits and escape sequences: the one other encoding that passes for UTF-8. */
function isIso2022Jp(body: Buffer): boolean {
  const head = body.subarray(0, guessedBytes);
  return ['\x1b$B', '\x1b$@'].some((escape) => head.includes(escape)) && head.includes('\x1b(');
}

function guess(body: Buffer, kind: TextKind): string | null {
  const sample = kind === 'text' ? body.subarray(0, guessedBytes) : withoutTags(body);
  for (const { name, confidence } of chardet.analyse(sample)) {
    const encoding = labelToName(name);
    if (confidence < leastConfidence) return null;
    // Anything is valid as these, so they win against a real guess only by accident.
    if (encoding !== null && !encoding.startsWith('utf-16')) return encoding;
  }
  return null;
}

/**
 * The encoding of a body as browsers settle it: byte order mark, then header, then the document's own word,
 * then what the bytes look like.
 * @returns WHATWG name, lower case.
 */
export function findCharset(body: Buffer, contentTypeHeader: string, kind: TextKind): string {
  const told = markedBy(body) ?? charsetLabelOf(contentTypeHeader) ?? findWide(body);
  if (told !== null) return told;
  const unknown = 'replacement';
  const sniffed = kind === 'html' ? sniffEncoding(body, { defaultEncoding: unknown }).toLowerCase() : unknown;
  if (sniffed !== unknown) return sniffed;
  const declared = kind === 'text' ? null : declaredIn(body, kind);
  if (declared !== null) return declared;
  if (isUtf8(body)) return isIso2022Jp(body) ? 'iso-2022-jp' : 'utf-8';
  return guess(body, kind) ?? (kind === 'html' ? 'windows-1252' : 'utf-8');
}

/** Bytes that are no text in the encoding become U+FFFD, and so does NUL, which many a database refuses. */
export function decodeText(body: Buffer, charset: string): string {
  // The same as TextDecoder, and quicker.
  const isPlain = charset === 'utf-8' && markedBy(body) === null;
  const text = isPlain ? body.toString('utf8') : new TextDecoder(charset).decode(body);
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}
