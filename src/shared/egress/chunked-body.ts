/** A chunk's size as browsers read it: padded, with whatever extension behind it. */
const sizeLine = /^([0-9a-f]{1,13})[ \t]*(?:;.*)?$/i;
const strictLine = /^[0-9a-f]+$/i;
const longestLine = 16_384;

/**
 * Mends the framing of a chunked body where Node's parser refuses what curl and Chromium read: extensions that are
 * none, line feeds alone behind the last chunk, trailers that are no headers (which nobody reads).
 */
export class ChunkedBody {
  #state: 'size' | 'data' | 'dataEnd' | 'trailer' | 'over' = 'size';
  #left = 0;
  #line = '';

  /** @returns the same bytes where nothing was to be mended. What follows a size that is none is left to the parser. */
  pass(bytes: Buffer): Buffer {
    const passed: Buffer[] = [];
    // Up to here it is passed; what was held back of a line comes with its end.
    let passedTo = 0;
    let at = 0;
    while (at < bytes.length && this.#state !== 'over') {
      if (this.#state === 'data') {
        const step = Math.min(bytes.length - at, this.#left);
        this.#left -= step;
        at += step;
        if (this.#left === 0) this.#state = 'dataEnd';
        continue;
      }
      const start = at;
      const newline = bytes.indexOf(10, at);
      at = newline === -1 ? bytes.length : newline + 1;
      const held = this.#line;
      const line = held + bytes.toString('latin1', start, at);
      this.#line = newline === -1 && line.length <= longestLine ? line : '';
      const isHeld = this.#line !== '';
      const mended = isHeld ? '' : (this.#readLine(line.replace(/\r?\n$/, '')) ?? line);
      if (mended === line && held === '') continue;
      passed.push(bytes.subarray(passedTo, start), Buffer.from(mended, 'latin1'));
      passedTo = at;
    }
    return passed.length === 0 ? bytes : Buffer.concat([...passed, bytes.subarray(passedTo)]);
  }

  /** What was held back of a line that has no end. */
  rest(): Buffer | null {
    return this.#line === '' ? null : Buffer.from(this.#line, 'latin1');
  }

  /** @returns the line as it is to be; null where it cannot be read. */
  #readLine(line: string): string | null {
    if (this.#state === 'dataEnd') {
      this.#state = line === '' ? 'size' : 'over';
      return line === '' ? '\r\n' : null;
    }
    if (this.#state === 'trailer') {
      if (line !== '') return '';
      this.#state = 'over';
      return '\r\n';
    }
    const size = strictLine.test(line) ? line : sizeLine.exec(line)?.[1];
    if (size === undefined) {
      this.#state = 'over';
      return null;
    }
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailer' : 'data';
    return `${size}\r\n`;
  }
}
