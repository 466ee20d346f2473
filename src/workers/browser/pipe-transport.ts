import type { Readable, Writable } from 'node:stream';

import type { ConnectionTransport } from 'puppeteer-core';

/**
 * Events that a page can make without end and of any size, and that nobody here listens to (Puppeteer cannot be kept
 * from asking for them): they are not even parsed, unless somebody wants to hear the page's console.
 */
const unheard = [
  'Runtime.consoleAPICalled"',
  'Runtime.exceptionThrown"',
  'Runtime.bindingCalled"',
  'Log.entryAdded"',
  'Network.webSocket',
  'Network.webTransport',
  'Network.eventSource',
].map((method) => `{"method":"${method}`);
const longestStart = Math.max(...unheard.map(({ length }) => length));

/**
 * Bytes of an event. A request whose address is longer gets past no header's bound; of `data:` addresses, of titles and
 * of dialogs a page makes as many of megabytes as it likes. What holds a request up is heard whatever its length.
 */
const maxEventBytes = 262_144;
const isLongHeard = (start: string) =>
  !start.startsWith('{"method":"') || start.startsWith('{"method":"Fetch.');

/**
 * Bytes of one message. A picture of 64 megapixels that nothing compresses takes 340 MB; past 512 MB there is no text
 * in JavaScript that could hold it.
 */
const maxMessageBytes = 400_000_000;

/** DevTools' protocol over the two pipes of `--remote-debugging-pipe`: JSON texts, each ended by a zero byte. */
export class PipeTransport implements ConnectionTransport {
  onmessage?: (message: string) => void;
  onclose?: () => void;
  readonly #toBrowser: Writable;
  readonly #fromBrowser: Readable;
  /** Parts of a message whose end has not come. Empty for one that is passed over. */
  #parts: Buffer[] = [];
  #partsBytes = 0;
  /** The first characters of that message. */
  #start = '';
  #isClosed = false;
  readonly #hearsConsole: boolean;

  constructor(toBrowser: Writable, fromBrowser: Readable, { hearsConsole }: { hearsConsole: boolean }) {
    this.#hearsConsole = hearsConsole;
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
      this.#add(chunk.subarray(start, end));
      if (this.#parts.length > 0) this.#deliver(Buffer.concat(this.#parts).toString());
      this.#parts = [];
      this.#partsBytes = 0;
      this.#start = '';
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  #add(part: Buffer): void {
    if (this.#start.length < longestStart) {
      this.#start += part.toString('latin1', 0, longestStart - this.#start.length);
    }
    this.#partsBytes += part.length;
    const isTooLong = this.#partsBytes > maxEventBytes && !isLongHeard(this.#start);
    const isUnheard = isTooLong || unheard.some((event) => this.#start.startsWith(event));
    if (isUnheard && !this.#hearsConsole) {
      this.#parts = [];
      return;
    }
    this.#parts.push(part);
    // The browser is given up, and its pages with it, but not the process.
    if (this.#partsBytes > maxMessageBytes) this.close();
  }

  /** Its own turn each, as Puppeteer's transport gives it: what a message resolves runs before the next one. */
  #deliver(message: string): void {
    setImmediate(() => this.onmessage?.(message));
  }
}
