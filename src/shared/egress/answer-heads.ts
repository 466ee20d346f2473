import { ChunkedBody } from './chunked-body.ts';

/** Bytes of all response headers together; Chromium's bound too. */
export const maxHeaderBytes = 262_144;

/** A head as RFC 9112 has it, which nearly all servers send: passed on as it came. */
const wellFormed =
  /^HTTP\/1\.[01] \d{3}(?: [\t\x20-\x7e\x80-\xff]*)?\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
/** Chromium takes up to four other bytes before it, and no number after it. */
const statusLine = /^[^]{0,4}?http(?:\/(\d+)(?:\.(\d+))?)?[ \t]*(?:$|(\d{3})(?!\d)(.*)$)/i;
const headEnd = /\n\r?\n/;
const nextHeadEnd = new RegExp(headEnd, 'g');
const chunked = /\ntransfer-encoding:[^\n]*\bchunked\b/i;
const informational = /^HTTP\/1\.\d 1(?!01)\d\d/;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What framing and redirects are made of: told once, if it is told alike. */
const single = new Set(['content-length', 'location', 'transfer-encoding']);

type Field = [name: string, value: string];

/**
 * Mends the heads of a connection's answers where they are not as the RFC has them but curl and Chromium read them all
 * the same: Node's parser, however lenient, refuses a version in lower case, a length told twice or with a sign, a
 * space in a name. Of bodies only the framing of chunks is mended. What was mended says `Connection: close`: where such an answer
 * ends is a guess, so that nothing is read after it.
 */
export class AnswerHeads {
  /** Of a head that is not whole yet; null within a body. */
  #pieces: Buffer[] | null = null;
  #size = 0;
  #tail = '';
  /** Of the answer whose head was read; null where it does not come in chunks. */
  #body: ChunkedBody | null = null;

  /** A request was sent: what comes next is the head of its answer. */
  expect(): void {
    [this.#pieces, this.#size, this.#tail, this.#body] = [[], 0, '', null];
  }

  /** @returns what of the chunk, and of earlier ones, can be read now; null while a head is not whole. */
  pass(chunk: Buffer): Buffer | null {
    if (this.#pieces === null) return this.#body?.pass(chunk) ?? chunk;
    const passed: Buffer[] = [];
    const text = chunk.toString('latin1');
    let at = 0;
    while (this.#pieces !== null && at < chunk.length) {
      // Some servers send an empty line before it.
      while (this.#size === 0 && isLineEnd(text.charCodeAt(at))) at++;
      const end = this.#findEnd(text, at);
      this.#keep(chunk.subarray(at, end ?? chunk.length), text);
      at = end ?? chunk.length;
      if (end === null && !this.#isHopeless()) break;
      const head = this.#takeHead() ?? Buffer.alloc(0);
      const mended = end === null ? head : mend(head);
      passed.push(mended);
      if (informational.test(mended.toString('latin1', 0, 12))) this.expect();
      else if (chunked.test(mended.toString('latin1'))) this.#body = new ChunkedBody();
    }
    const rest = chunk.subarray(at);
    if (rest.length > 0) passed.push(this.#body?.pass(rest) ?? rest);
    return passed.length === 0 ? null : Buffer.concat(passed);
  }

  /** Where the head ends in a chunk; its last line may have begun in the one before. */
  #findEnd(text: string, from: number): number | null {
    const early = headEnd.exec(this.#tail + text.slice(from, from + 2));
    if (early !== null) return from + early.index + early[0].length - this.#tail.length;
    nextHeadEnd.lastIndex = from;
    return nextHeadEnd.test(text) ? nextHeadEnd.lastIndex : null;
  }

  /** What was held back when the connection ends; a head that ends with it is an answer without a body. */
  rest(): Buffer | null {
    const rest = this.#body?.rest();
    if (rest != null) return rest;
    const head = this.#takeHead();
    return head === null ? null : endHead(head);
  }

  #takeHead(): Buffer | null {
    const pieces = this.#pieces;
    this.#pieces = null;
    return pieces !== null && pieces.length > 0 ? Buffer.concat(pieces) : null;
  }

  #keep(bytes: Buffer, text: string): void {
    // A chunk of empty lines only is no part of a head.
    if (bytes.length === 0) return;
    this.#pieces?.push(bytes);
    this.#size += bytes.length;
    this.#tail = (this.#tail + text.slice(-2)).slice(-2);
  }

  /** It is larger than a head may be, or none at all: the parser says so. */
  #isHopeless(): boolean {
    if (this.#size > maxHeaderBytes) return true;
    const [first] = this.#pieces ?? [];
    return first !== undefined && first.length >= 8 && !/http/i.test(first.toString('latin1', 0, 8));
  }
}

const isLineEnd = (code: number) => code === 10 || code === 13;

function mend(bytes: Buffer): Buffer {
  const head = bytes.toString('latin1');
  return isFine(head) ? bytes : Buffer.from(mendHead(head), 'latin1');
}

function isFine(head: string): boolean {
  if (!wellFormed.test(head)) return false;
  const lower = head.toLowerCase();
  const isTold = (name: string) => lower.includes(`\n${name}:`);
  const isTwice = (name: string) => lower.indexOf(`\n${name}:`) !== lower.lastIndexOf(`\n${name}:`);
  if ([...single].some(isTwice)) return false;
  if (
    isTold('content-length') &&
    (isTold('transfer-encoding') || !/\ncontent-length:[ \t]*\d+[ \t]*\r/.test(lower))
  )
    return false;
  return true;
}

/** A head that the connection's end has cut: what of it has come whole, as curl and Chromium read it. */
function endHead(bytes: Buffer): Buffer {
  const head = bytes.toString('latin1');
  const whole = head.slice(0, head.lastIndexOf('\n') + 1) || head;
  if (!/^http\/\d(\.\d)?[ \t]+\d{3}/i.test(whole)) return bytes;
  return Buffer.from(mendHead(whole.trimEnd()), 'latin1');
}

/** As Chromium reads it (net/http/http_response_headers.cc). A head that it would not read either stays as it is. */
function mendHead(head: string): string {
  const [first = '', ...lines] = head.split(/\r?\n/);
  const status = statusLine.exec(first);
  const fields = onceEach(readFields(lines));
  if (status === null || fields === null) return head;
  const [, major, minor, code = '200', reason = ''] = status;
  const isOld = major === undefined || Number(major) < 1 || (Number(major) === 1 && Number(minor ?? 0) < 1);
  const isChunked = fields.some(
    ([name, value]) => isNamed(name, 'transfer-encoding') && /chunked/i.test(value),
  );
  const kept = fields
    .filter(
      ([name]) =>
        !isNamed(name, 'connection') && !isNamed(name, isChunked ? 'content-length' : 'transfer-encoding'),
    )
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.${isOld ? 0 : 1} ${code} ${printable(reason)}\r\n${kept.join('')}Connection: close\r\n\r\n`;
}

const isNamed = (name: string, wanted: string) => name.toLowerCase() === wanted;

// eslint-disable-next-line no-control-regex
const printable = (text: string) => text.replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f]/g, ' ').trim();

/**
 * Folded lines are joined; one whose name is none is left out, as browsers do.
 * @returns null where one has no name at all.
 */
function readFields(lines: readonly string[]): Field[] | null {
  /** Each with the parts of its value, joined once: there may be a hundred thousand. */
  const fields: { name: string; parts: string[] }[] = [];
  let isOpen = false;
  for (const line of lines) {
    if (/^[ \t]/.test(line)) {
      if (isOpen) fields.at(-1)?.parts.push(printable(line));
      continue;
    }
    const colon = line.indexOf(':');
    if (colon === -1 && line !== '') return null;
    const name = line.slice(0, Math.max(0, colon)).trim();
    isOpen = token.test(name);
    if (isOpen) fields.push({ name, parts: [printable(line.slice(colon + 1))] });
  }
  return fields.map(({ name, parts }) => [name, parts.filter((part) => part !== '').join(' ')]);
}

/** @returns null where two lengths differ: nobody can say where the body ends. */
function onceEach(fields: Field[] | null): Field[] | null {
  if (fields === null) return null;
  const seen = new Map<string, string>();
  const kept: Field[] = [];
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    const one = key === 'content-length' ? lengthOf(value) : value;
    const known = single.has(key) ? seen.get(key) : undefined;
    if (known !== undefined && key === 'content-length' && known !== one) return null;
    if (known !== undefined) continue;
    seen.set(key, one);
    if (key !== 'content-length' || one !== '') kept.push([name, one]);
  }
  return kept;
}

/** `+5`, and `5, 5` as proxies join it; empty where it is no number: then the body ends with the connection. */
function lengthOf(value: string): string {
  const lengths = new Set(value.split(',').map((one) => one.trim().replace(/^\+/, '')));
  const [one = ''] = lengths;
  return lengths.size === 1 && /^\d{1,15}$/.test(one) ? one : '';
}
