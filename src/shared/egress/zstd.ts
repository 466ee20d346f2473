import { Transform, type TransformCallback } from 'node:stream';
import { constants, createZstdDecompress, type ZstdDecompress } from 'node:zlib';

// RFC 9659 bounds the window of zstd on the web to 8 MiB.
const options = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/** Each has a decoder of its own; what has more is cut there. */
const mostFrames = 1_000;

/**
 * Decodes all frames of a zstd stream, skippable ones too (RFC 8878, section 3.1), where Node's own decoder ends with
 * the first. What is no frame behind them is left.
 */
export class ZstdFrames extends Transform {
  #decoder: ZstdDecompress | null = null;
  #frames = 0;
  #hasContent = false;
  #isOver = false;
  /** What waits for the decoder. */
  #settle: (how: 'taken' | 'ended' | NodeJS.ErrnoException) => void = () => undefined;

  override _read(size: number): void {
    this.#decoder?.resume();
    // oxlint-disable-next-line no-underscore-dangle -- Node's own name
    super._read(size);
  }

  override _transform(chunk: Buffer, encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#isOver || chunk.length === 0) return done();
    if (this.#decoder === null && ++this.#frames > mostFrames) return done(tooManyFrames());
    const decoder = (this.#decoder ??= this.#open());
    const before = decoder.bytesWritten;
    this.#settle = (how) => {
      this.#settle = () => undefined;
      if (typeof how === 'object') return this.#fail(how, done);
      if (how === 'taken') return done();
      // A frame ended before the chunk does.
      this.#decoder = null;
      const rest = chunk.subarray(decoder.bytesWritten - before);
      decoder.destroy();
      // Not at once: a chunk may hold thousands of frames.
      // oxlint-disable-next-line no-underscore-dangle -- Node's own name
      process.nextTick(() => this._transform(rest, encoding, done));
    };
    decoder.write(chunk, (error) => {
      if (!error && this.#decoder === decoder) this.#settle('taken');
    });
  }

  override _flush(done: TransformCallback): void {
    if (this.#isOver || this.#decoder === null) return done();
    this.#settle = (how) => (typeof how === 'object' ? this.#fail(how, done) : done());
    this.#decoder.end();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#decoder?.destroy();
    done(error);
  }

  #open(): ZstdDecompress {
    const decoder = createZstdDecompress(options);
    decoder.on('data', (chunk: Buffer) => {
      this.#hasContent = true;
      // What is decoded and not yet read is bounded: a kilobyte can stand for a megabyte.
      if (!this.push(chunk)) decoder.pause();
    });
    decoder.once('end', () => this.#settle('ended')).once('error', (error) => this.#settle(error));
    return decoder;
  }

  #fail(error: NodeJS.ErrnoException, done: TransformCallback): void {
    this.#isOver = this.#hasContent && error.code === 'ZSTD_error_prefix_unknown';
    if (!this.#isOver) return done(error);
    this.push(null);
    done();
  }
}

/** As zlib tells of a stream that ends early: what came before is good. */
const tooManyFrames = (): Error => Object.assign(new Error('too many frames'), { code: 'Z_BUF_ERROR' });
