import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

import type { ConnectionTransport } from 'puppeteer-core';

/** DevTools' protocol over the two pipes of `--remote-debugging-pipe`: JSON texts, each ended by a zero byte. */
export class PipeTransport implements ConnectionTransport {
  onmessage?: (message: string) => void;
  onclose?: () => void;
  readonly #toBrowser: Writable;
  readonly #fromBrowser: Readable;
  readonly #decoder = new StringDecoder('utf8');
  /** Parts of a message whose end has not come. */
  #parts: string[] = [];
  #isClosed = false;

  constructor(toBrowser: Writable, fromBrowser: Readable) {
    this.#toBrowser = toBrowser;
    this.#fromBrowser = fromBrowser;
    fromBrowser.on('data', (chunk: Buffer) => this.#read(chunk));
    for (const stream of [toBrowser, fromBrowser]) {
      stream.on('error', () => this.close());
      stream.on('close', () => this.close());
    }
  }

  send(message: string): void {
    if (!this.#isClosed) this.#toBrowser.write(`${message}\0`);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#toBrowser.destroy();
    this.#fromBrowser.destroy();
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      this.#parts.push(this.#decoder.write(chunk.subarray(start, end)));
      const message = this.#parts.join('');
      this.#parts = [];
      // Its own turn each, as Puppeteer's transport gives it: what a message resolves runs before the next one.
      setImmediate(() => this.onmessage?.(message));
      start = end + 1;
    }
    if (start < chunk.length) this.#parts.push(this.#decoder.write(chunk.subarray(start)));
  }
}
