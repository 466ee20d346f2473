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

/**
 * What a page makes of any size and as often as it likes, by titles, `data:` addresses and headers: of no use where it is
 * long. A document's request and its answer, which bear the name of the load that they begin, are of use at any length:
 * without them nobody hears that the page has come. So is what waits for our answer, as a dialog does.
 */
const noise =
  /^\{"method":"(?:Target\.targetInfoChanged"|Network\.(?:requestWillBeSent|responseReceived)","params":\{"requestId":"([^"]*)","loaderId":"(?!\1"))/;
const maxNoiseBytes = 262_144;
/** Characters that tell whether a message is noise, and more. */
const longestStart = 200;
/** Characters in which a message names its session. */
const longestEnd = 200;

/** Bytes of any other event: above the request of a page that a client brought, whose address holds it whole, twice. */
const maxEventBytes = 16_000_000;
const isBounded = (start: string) =>
  start.startsWith('{"method":"') && !start.startsWith('{"method":"Fetch.');

/**
 * A request that is held up for our answer, of any page but one that a client brought: what a page sends with it is in
 * the event, twice.
 */
const heldUp =
  /^\{"method":"Fetch\.requestPaused","params":\{"requestId":"([^"]+)","request":\{"url":"(?!data:)/;
/** Bytes of such an event: past them the request is refused unread. */
const maxHeldUpBytes = 1_000_000;
const sessionAtEnd = /"sessionId":"([^"]+)"\}$/;
/** Of our own messages to the browser: Puppeteer counts its own from 1 on, and passes over answers that it does not know. */
const firstOwnId = 1_000_000_000;

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
  /** The last ones of a message that is passed over. */
  #end = '';
  #ownId = firstOwnId;
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
      else if (this.#isTooLargeToSend) this.#refuse();
      this.#parts = [];
      this.#partsBytes = 0;
      this.#start = '';
      this.#end = '';
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  #add(part: Buffer): void {
    if (this.#start.length < longestStart) {
      this.#start += part.toString('latin1', 0, longestStart - this.#start.length);
    }
    this.#partsBytes += part.length;
    if (this.#isTooLargeToSend) {
      for (const one of [...this.#parts, part])
        this.#end = (this.#end + one.toString('latin1', Math.max(0, one.length - longestEnd))).slice(
          -longestEnd,
        );
      this.#parts = [];
      return;
    }
    if (this.#isPassedOver && !this.#hearsConsole) {
      this.#parts = [];
      return;
    }
    this.#parts.push(part);
    // The browser is given up, and its pages with it, but not the process.
    if (this.#partsBytes > maxMessageBytes) this.close();
  }

  get #isTooLargeToSend(): boolean {
    return this.#partsBytes > maxHeldUpBytes && heldUp.test(this.#start);
  }

  /** The page goes on. Any other failure of a document would be shown in the place of the one that is there. */
  #refuse(): void {
    const requestId = heldUp.exec(this.#start)?.[1];
    const sessionId = sessionAtEnd.exec(this.#end)?.[1];
    const params = { requestId, errorReason: 'Aborted' };
    this.send(JSON.stringify({ id: this.#ownId++, method: 'Fetch.failRequest', params, sessionId }));
  }

  get #isPassedOver(): boolean {
    if (unheard.some((event) => this.#start.startsWith(event))) return true;
    if (this.#partsBytes <= maxNoiseBytes) return false;
    return noise.test(this.#start) || (this.#partsBytes > maxEventBytes && isBounded(this.#start));
  }

  /** Its own turn each, as Puppeteer's transport gives it: what a message resolves runs before the next one. */
  #deliver(message: string): void {
    setImmediate(() => this.onmessage?.(message));
  }
}
