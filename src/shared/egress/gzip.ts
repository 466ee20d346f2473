import { Transform, type TransformCallback } from 'node:stream';
import { createInflateRaw } from 'node:zlib';

const fixedHeaderBytes = 10;
/** Flags of RFC 1952, section 2.3.1. */
const flags = { headerCrc: 2, extra: 4, name: 8, comment: 16 };
const longestHeader = 65_536;

/**
 * Decodes the first member of a gzip stream, as browsers do: they take no notice of what follows it, where Node's own
 * decoder fails and gives nothing.
 */
export class FirstGunzip extends Transform {
  readonly #inflate = createInflateRaw();
  /** What came of it; null once it is whole. */
  #header: Buffer | null = Buffer.alloc(0);

  constructor() {
    super();
    this.#inflate.on('data', (chunk: Buffer) => {
      // What is inflated and not yet read is bounded: a kilobyte can stand for a megabyte.
      if (!this.push(chunk)) this.#inflate.pause();
    });
    this.#inflate.once('error', (error) => this.destroy(error));
  }

  override _read(size: number): void {
    this.#inflate.resume();
    // oxlint-disable-next-line no-underscore-dangle -- Node's own name
    super._read(size);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#header === null) return this.#write(chunk, done);
    this.#header = Buffer.concat([this.#header, chunk]);
    const length = headerLength(this.#header);
    if (length === null && this.#header.length <= longestHeader) return done();
    if (length === null || length === 'none') return done(notGzip());
    const rest = this.#header.subarray(length);
    this.#header = null;
    this.#write(rest, done);
  }

  override _flush(done: TransformCallback): void {
    if (this.#header !== null) return done(this.#header.length === 0 ? null : endsEarly());
    if (this.#inflate.readableEnded) return done();
    this.#inflate.once('end', () => done());
    this.#inflate.end();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inflate.destroy();
    done(error);
  }

  #write(chunk: Buffer, done: TransformCallback): void {
    if (this.#inflate.readableEnded || chunk.length === 0) return done();
    this.#inflate.write(chunk, () => done());
  }
}

/** @returns null where more must come to tell. */
function headerLength(bytes: Buffer): number | 'none' | null {
  const magic = [0x1f, 0x8b, 8];
  if (magic.some((byte, index) => index < bytes.length && bytes[index] !== byte)) return 'none';
  if (bytes.length < fixedHeaderBytes) return null;
  const set = bytes[3] ?? 0;
  let at = fixedHeaderBytes;
  if (set & flags.extra) {
    if (bytes.length < at + 2) return null;
    at += 2 + bytes.readUInt16LE(at);
  }
  for (const text of [flags.name, flags.comment]) {
    if (!(set & text)) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return null;
    at = end + 1;
  }
  if (set & flags.headerCrc) at += 2;
  return at <= bytes.length ? at : null;
}

const zlibError = (message: string, code: string) => Object.assign(new Error(message), { code });
const notGzip = () => zlibError('incorrect header check', 'Z_DATA_ERROR');
const endsEarly = () => zlibError('unexpected end of file', 'Z_BUF_ERROR');
