import { ChunkedBody } from './chunked-body.ts';
import { protocolError } from './egress-error.ts';

/** Bytes of all response headers together; Chromium's bound too. */
export const maxHeaderBytes = 262_144;
/** What comes before an answer (100, 102, 103); servers send one or two. */
const maxInformational = 100;
/** Twice as many as curl reads: to read so many takes some ten milliseconds. Of fewer a part could say another type or length. */
export const maxHeaders = 10_000;

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
const single = /^(?:content-length|location)$/i;
const contentLength = /^content-length$/i;
const transferEncoding = /^transfer-encoding$/i;
const connection = /^connection$/i;

interface Field {
  name: string;
  value: string;
}

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
  /** Of this head and those before the answer. */
  #headBytes = 0;
  #tail = '';
  #informational = 0;
  /** Of the answer whose head was read; null where it does not come in chunks. */
  #body: ChunkedBody | null = null;

  /** A request was sent: what comes next is the head of its answer. */
  expect(): void {
    this.#informational = 0;
    this.#headBytes = 0;
    this.#beginHead();
  }

  #beginHead(): void {
    [this.#pieces, this.#size, this.#tail, this.#body] = [[], 0, '', null];
  }

  /**
   * @returns what of the chunk, and of earlier ones, can be read now; null while a head is not whole.
   * @throws EgressError `target_protocol_error` where a head is larger than it may be.
   */
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
      const isNone = this.#isNone();
      // Not for Node's parser to say: joining lines that are folded takes it time in their square.
      if (!isNone && this.#headBytes > maxHeaderBytes)
        throw protocolError(`The target sent more than ${maxHeaderBytes} bytes of headers.`);
      if (end === null && !isNone) break;
      const head = this.#takeHead() ?? Buffer.alloc(0);
      const mended = end === null ? head : mend(head);
      passed.push(mended);
      if (informational.test(mended.toString('latin1', 0, 12))) this.#expectNext();
      else if (chunked.test(mended.toString('latin1'))) this.#body = new ChunkedBody();
    }
    const rest = chunk.subarray(at);
    if (rest.length > 0) passed.push(this.#body?.pass(rest) ?? rest);
    return passed.length === 0 ? null : Buffer.concat(passed);
  }

  /** Each costs the parser as much as an answer, and the time for the first byte goes on. */
  #expectNext(): void {
    if (++this.#informational > maxInformational)
      throw protocolError(`The target sent more than ${maxInformational} heads that are no answer yet.`);
    this.#beginHead();
  }

  /** Where the head ends in a chunk; its last line may have begun in the one before. */
  #findEnd(text: string, from: number): number | null {
    const early = headEnd.exec(this.#tail + text.slice(from, from + 2));
    if (early !== null) return from + early.index + early[0].length - this.#tail.length;
    nextHeadEnd.lastIndex = from;
    return nextHeadEnd.test(text) ? nextHeadEnd.lastIndex : null;
  }

  /** What was held back when the connection ends; a head that ends with it is an answer without a body. Throws as `pass`. */
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
    this.#headBytes += bytes.length;
    this.#tail = (this.#tail + text.slice(-2)).slice(-2);
  }

  /** It is no head at all: the parser says so. */
  #isNone(): boolean {
    if (this.#size < 8 || this.#pieces === null) return false;
    const [first = Buffer.alloc(0)] = this.#pieces;
    const start = first.length >= 8 ? first : Buffer.concat(this.#pieces.slice(0, 8));
    return !/http/i.test(start.toString('latin1', 0, 8));
  }
}

const isLineEnd = (code: number) => code === 10 || code === 13;

function mend(bytes: Buffer): Buffer {
  const head = bytes.toString('latin1');
  return isFine(head) ? bytes : Buffer.from(mendHead(head), 'latin1');
}

function isFine(head: string): boolean {
  if (!wellFormed.test(head)) return false;
  if (countLines(head) > maxHeaders + 2) throw tooManyHeaders();
  const lower = head.toLowerCase();
  const isTold = (name: string) => lower.includes(`\n${name}:`);
  const isTwice = (name: string) => lower.indexOf(`\n${name}:`) !== lower.lastIndexOf(`\n${name}:`);
  if (['content-length', 'location', 'transfer-encoding'].some(isTwice)) return false;
  if (isTold('transfer-encoding'))
    return !isTold('content-length') && /\ntransfer-encoding:[ \t]*chunked[ \t]*\r/.test(lower);
  return !isTold('content-length') || /\ncontent-length:[ \t]*\d{1,15}[ \t]*\r/.test(lower);
}

function countLines(head: string): number {
  let count = 0;
  for (let at = head.indexOf('\n'); at !== -1; at = head.indexOf('\n', at + 1)) count++;
  return count;
}

const tooManyHeaders = () => protocolError(`The target sent more than ${maxHeaders} headers.`);

/** A head that the connection's end has cut: what of it has come whole, as curl and Chromium read it. */
function endHead(bytes: Buffer): Buffer {
  const head = bytes.toString('latin1');
  const whole = head.slice(0, head.lastIndexOf('\n') + 1) || head;
  if (!/^http\/\d(\.\d)?[ \t]+\d{3}/i.test(whole)) return bytes;
  return Buffer.from(mendHead(whole.trimEnd()), 'latin1');
}

/** As Chromium reads it (net/http/http_response_headers.cc). A head that it would not read either stays as it is. */
function mendHead(head: string): string {
  const end = head.indexOf('\n');
  const status = statusLine.exec(withoutReturn(end === -1 ? head : head.slice(0, end)));
  const fields = end === -1 ? [] : onceEach(readFields(head.slice(end + 1)));
  if (status === null || fields === null) return head;
  const [, major, minor, code = '200', reason = ''] = status;
  const isOld = major === undefined || Number(major) < 1 || (Number(major) === 1 && Number(minor ?? 0) < 1);
  // Wherever it stands among others: no browser asks for any of them.
  const isChunked = fields.some(
    ({ name, value }) => transferEncoding.test(name) && /\bchunked\b/i.test(value),
  );
  let kept = isChunked ? 'Transfer-Encoding: chunked\r\n' : '';
  for (const { name, value } of fields) {
    const isDropped = transferEncoding.test(name) || connection.test(name);
    if (!isDropped && !(isChunked && contentLength.test(name))) kept += `${name}: ${value}\r\n`;
  }
  return `HTTP/1.${isOld ? 0 : 1} ${code} ${printable(reason)}\r\n${kept}Connection: close\r\n\r\n`;
}

// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const everyControl = new RegExp(controls, 'g');
const printable = (text: string) => (controls.test(text) ? text.replaceAll(everyControl, ' ') : text).trim();

const fold = /\r?\n[\t ]+/g;
const withoutReturn = (line: string) => (line.endsWith('\r') ? line.slice(0, -1) : line);

/**
 * Folded lines are joined, all at once: a head may be of eighty thousand. A line whose name is none is left out, as
 * browsers do; so is one that is folded with none before it.
 * @returns null where one has no name at all.
 */
function readFields(text: string): Field[] | null {
  const fields: Field[] = [];
  for (const ended of text.replaceAll(fold, ' ').split('\n')) {
    const line = withoutReturn(ended);
    if (line === '' || line.startsWith(' ') || line.startsWith('\t')) continue;
    const colon = line.indexOf(':');
    if (colon === -1) return null;
    const name = line.slice(0, colon).trim();
    if (token.test(name)) fields.push({ name, value: printable(line.slice(colon + 1)) });
    if (fields.length > maxHeaders) throw tooManyHeaders();
  }
  return fields;
}

/** @returns null where two lengths differ: nobody can say where the body ends. */
function onceEach(fields: Field[] | null): Field[] | null {
  if (fields === null) return null;
  const seen = new Map<string, string>();
  const kept: Field[] = [];
  for (const field of fields) {
    const { name } = field;
    if (!single.test(name)) {
      kept.push(field);
      continue;
    }
    const key = name.toLowerCase();
    const value = key === 'content-length' ? lengthOf(field.value) : field.value;
    const known = seen.get(key);
    if (known !== undefined && key === 'content-length' && known !== value) return null;
    if (known !== undefined) continue;
    seen.set(key, value);
    if (key !== 'content-length' || value !== '') kept.push({ name, value });
  }
  return kept;
}

/** `+5`, and `5, 5` as proxies join it; empty where it is no number: then the body ends with the connection. */
function lengthOf(value: string): string {
  const lengths = new Set(value.split(',').map((one) => one.trim().replace(/^\+/, '')));
  const [one = ''] = lengths;
  return lengths.size === 1 && /^\d{1,15}$/.test(one) ? one : '';
}
