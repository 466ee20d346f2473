/** A chunk's size as browsers read it: padded, with whatever extension behind it; not more than a number holds. */
const sizeLine = /^0*([0-9a-f]{1,13})[ \t]*(?:;.*)?$/i;
const longestLine = 16_384;
/** As of a head. */
const mostTrailerBytes = 262_144;
/** Of the size's line before the data, in bytes. */
const sizeRoom = 16;
/** The parser refuses it. */
const noChunk = 'no chunk\r\n';

/**
 * Mends the framing of a chunked body where Node's parser refuses what curl and Chromium read: extensions that are
 * none, line feeds alone behind the last chunk, trailers that are no headers (which nobody reads). Chunks that come
 * together are passed on as one: of a body in chunks of a byte, each byte would cost the parser as much as a chunk.
 */
export class ChunkedBody {
  #state: 'size' | 'data' | 'dataEnd' | 'trailer' | 'over' = 'size';
  #left = 0;
  #line = '';
  #trailerBytes = 0;

  /** @returns what of it can be read now. What follows a size that is none is left to the parser. */
  pass(bytes: Buffer): Buffer {
    // One chunk as it is passed on: its size, its data, a line's end.
    const chunk = Buffer.allocUnsafe(sizeRoom + bytes.length + 2);
    let end = sizeRoom;
    let last = '';
    let at = 0;
    while (at < bytes.length && this.#state !== 'over') {
      if (this.#state === 'data') {
        const step = Math.min(bytes.length - at, this.#left);
        end += bytes.copy(chunk, end, at, at + step);
        this.#left -= step;
        at += step;
        if (this.#left === 0) this.#state = 'dataEnd';
        continue;
      }
      const start = at;
      const newline = bytes.indexOf(10, at);
      at = newline === -1 ? bytes.length : newline + 1;
      const line = this.#line + bytes.toString('latin1', start, at);
      const isHeld = newline === -1 && line.length <= longestLine;
      this.#line = isHeld ? line : '';
      if (!isHeld) last = this.#readLine(line);
    }
    const framed = frame(chunk, end);
    if (last === '' && at === bytes.length) return framed;
    return Buffer.concat([framed, Buffer.from(last, 'latin1'), bytes.subarray(at)]);
  }

  /** What was held back of a size that has no end. */
  rest(): Buffer | null {
    return this.#line === '' || this.#state !== 'size' ? null : Buffer.from(this.#line, 'latin1');
  }

  /** @returns with what the body ends there, if it does. */
  #readLine(line: string): string {
    const text = line.replace(/\r?\n$/, '');
    if (this.#state === 'dataEnd') {
      this.#state = text === '' ? 'size' : 'over';
      return text === '' ? '' : noChunk;
    }
    if (this.#state === 'trailer') {
      this.#trailerBytes += line.length;
      const isLong = this.#trailerBytes > mostTrailerBytes;
      if (text !== '' && !isLong) return '';
      this.#state = 'over';
      return isLong ? noChunk : '0\r\n\r\n';
    }
    const size = sizeLine.exec(text)?.[1];
    if (size === undefined) {
      this.#state = 'over';
      return line;
    }
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailer' : 'data';
    return '';
  }
}

/** @param end of the data, which begins behind the room for its size. */
function frame(chunk: Buffer, end: number): Buffer {
  if (end === sizeRoom) return chunk.subarray(0, 0);
  const size = `${(end - sizeRoom).toString(16)}\r\n`;
  chunk.write(size, sizeRoom - size.length, 'latin1');
  chunk.write('\r\n', end, 'latin1');
  return chunk.subarray(sizeRoom - size.length, end + 2);
}
