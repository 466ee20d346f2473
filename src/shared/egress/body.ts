import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createInflate, createInflateRaw } from 'node:zlib';
import { EgressError, protocolError } from './egress-error.ts';
import { FirstGunzip } from './gzip.ts';
import { ZstdFrames } from './zstd.ts';

const maxCodings = 4;
const joinedBytes = 32_768;

export interface BodyRead {
  body: Buffer;
  /** The connection or the compressed stream ended before its end; `body` holds what came. */
  truncated: boolean;
}

/**
 * Reads and decodes a body, in memory bounded by `maxBytes` at every layer of compression.
 * Destroying the response ends the reading: what came is decoded and returned as truncated.
 * @param onChunk called after each chunk from the wire.
 * @param cuts past `maxBytes` the reading ends, and what came is returned as truncated.
 * @throws EgressError `target_too_large` past `maxBytes` decoded bytes unless it `cuts`, `target_protocol_error` when it cannot be decoded.
 */
export function readBody(
  response: IncomingMessage,
  options: { maxBytes: number; cuts?: boolean | undefined; onChunk: () => void },
): Promise<BodyRead> {
  const { maxBytes, cuts = false, onChunk } = options;
  const codings = contentCodings(response);
  return new Promise((resolve, reject) => {
    if (codings.length > maxCodings) {
      response.destroy();
      return reject(
        protocolError(
          `The target's body is compressed ${codings.length} times over; at most ${maxCodings} are decoded.`,
        ),
      );
    }
    const decoded = new Gathered();
    const decoders: Transform[] = [];
    let sourceEnded = false;
    let isSettled = false;
    let isCut = false;

    function finish(error?: EgressError): void {
      if (isSettled) return;
      isSettled = true;
      for (const decoder of decoders) decoder.destroy();
      if (!sourceEnded) response.destroy();
      if (error) reject(error);
      else {
        const body = decoded.toBuffer().subarray(0, maxBytes);
        // What its coding has ended by itself is whole, whatever is still to come behind it.
        resolve({ body, truncated: isCut || (sourceEnded && !response.complete) });
      }
    }
    function passBound(): void {
      isCut = true;
      finish(cuts ? undefined : tooLarge(maxBytes));
    }
    /** Counts what one layer puts out, so that no inner layer of a nested bomb can grow without end either. */
    function bounded(): (chunk: Buffer) => void {
      let size = 0;
      return (chunk) => {
        size += chunk.length;
        if (size > maxBytes) passBound();
      };
    }
    function endSource(): void {
      if (sourceEnded) return;
      sourceEnded = true;
      if (decoders[0]) decoders[0].end();
      else finish();
    }

    const declared = Number(response.headers['content-length']);
    if (declared > maxBytes && !cuts) return passBound();

    let first: Transform | undefined;
    response.on('data', (chunk: Buffer) => {
      onChunk();
      if (isSettled) return;
      if (codings.length === 0) {
        decoded.add(chunk);
        countWire(chunk);
        return;
      }
      first ??= startDecoding(chunk);
      if (!first.write(chunk)) response.pause();
    });
    const countWire = bounded();
    response.once('end', endSource);
    response.once('close', endSource);
    response.on('error', () => undefined);

    function startDecoding(firstChunk: Buffer): Transform {
      for (const [index, coding] of codings.entries()) {
        const decoder = createDecoder(coding, index === 0 ? firstChunk : null);
        decoder.on('data', bounded());
        decoder.once('error', (cause: NodeJS.ErrnoException) => {
          // zlib says Z_BUF_ERROR when its input ends early: what it gave so far is good.
          isCut = true;
          if (cause.code === 'Z_BUF_ERROR' || (sourceEnded && !response.complete)) finish();
          else
            finish(
              protocolError(`The target's body is not valid ${coding}, as its Content-Encoding says.`, cause),
            );
        });
        decoders.at(-1)?.pipe(decoder);
        decoders.push(decoder);
      }
      const [outer] = decoders;
      const inner = decoders.at(-1);
      if (!outer || !inner) throw new Error('A body without codings needs no decoder');
      outer.on('drain', () => response.resume());
      inner.on('data', (chunk: Buffer) => {
        if (!isSettled) decoded.add(chunk);
      });
      inner.once('end', () => finish());
      return outer;
    }
  });
}

/** Joins small chunks as they come: a body sent byte by byte would else cost a hundred times its size. */
class Gathered {
  readonly #full: Buffer[] = [];
  #filling = Buffer.allocUnsafe(0);
  #filledBytes = 0;

  add(chunk: Buffer): void {
    if (this.#filledBytes + chunk.length > this.#filling.length) {
      this.#full.push(this.#filling.subarray(0, this.#filledBytes));
      this.#filledBytes = 0;
      this.#filling = Buffer.allocUnsafe(chunk.length >= joinedBytes ? 0 : joinedBytes);
      if (chunk.length >= joinedBytes) return void this.#full.push(chunk);
    }
    this.#filledBytes += chunk.copy(this.#filling, this.#filledBytes);
  }

  toBuffer(): Buffer {
    return Buffer.concat([...this.#full, this.#filling.subarray(0, this.#filledBytes)]);
  }
}

export function tooLarge(maxBytes: number): EgressError {
  const detail = `The target's body is larger than the ${maxBytes} bytes (decoded) that are read. Ask for a smaller document.`;
  return new EgressError('target_too_large', detail, 'budget');
}

/** The codings to undo, outermost first. One that no browser knows is left as it is, as browsers do. */
export function contentCodings(response: IncomingMessage): string[] {
  const names = (response.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  return names.every(isKnownCoding) ? names.toReversed() : [];
}

function isKnownCoding(name: string): boolean {
  return ['gzip', 'x-gzip', 'deflate', 'br', 'zstd'].includes(name);
}

export function createDecoder(coding: string, firstChunk: Buffer | null): Transform {
  switch (coding) {
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return new ZstdFrames();
    case 'deflate':
      // Some servers send raw deflate under this name; a zlib header's low nibble is always 8.
      return ((firstChunk?.[0] ?? 8) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      return new FirstGunzip();
  }
}
