import type { CDPSession, Page } from 'puppeteer-core';

import type { EgressLease } from '../../../shared/egress/types.ts';
import { AppError } from '../../../shared/errors.ts';
import { orAfter } from '../../browser/deadline.ts';
import { isolatedWorldOf } from '../../browser/isolated-world.ts';
import type { Traffic } from './traffic.ts';

/** Decoded bytes. The door counts what crosses the wire, of which a bomb needs next to nothing. */
const maxDocumentBytes = 20 * 1024 * 1024;
const maxPageBytes = 200 * 1024 * 1024;
/** What can still be read without the page running out of memory. */
export const mostElements = 1_000_000;
/** What is too large takes longer than this; other pages pay nothing. */
const watchAfterMs = 700;
/** How often it is looked whether a document drowns its page. */
const probeEveryMs = 400;
const answerMs = 200;
const muchOnTheWire = 2 * 1024 * 1024;

/** Watches how much a page loads, and is rejected with `target_too_large` once it is too much. */
export class SizeGuard implements Disposable {
  readonly #page: Page;
  readonly #traffic: Traffic;
  readonly #lease: EgressLease;
  readonly #exceeded = Promise.withResolvers<never>();
  readonly #timers: NodeJS.Timeout[];
  #session: CDPSession | undefined;
  #isProbed = false;

  constructor(page: Page, traffic: Traffic, lease: EgressLease) {
    this.#page = page;
    this.#traffic = traffic;
    this.#lease = lease;
    // It is also rejected when nobody waits for it any more.
    this.#exceeded.promise.catch(() => {});
    lease.signal.addEventListener('abort', this.#onLeaseEnd, { once: true });
    if (lease.signal.aborted) this.#onLeaseEnd();
    this.#timers = [
      setTimeout(() => void this.#watch().catch(() => {}), watchAfterMs),
      setInterval(() => void this.#probe().catch(() => {}), probeEveryMs),
    ];
  }

  get exceeded(): Promise<never> {
    return this.#exceeded.promise;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#lease.signal.removeEventListener('abort', this.#onLeaseEnd);
    this.#session?.detach().catch(() => {});
  }

  readonly #onLeaseEnd = (): void => {
    const reason: unknown = this.#lease.signal.reason;
    if (reason instanceof AppError) this.#exceeded.reject(reason);
  };

  async #watch(): Promise<void> {
    const session = await this.#page.createCDPSession();
    this.#session = session;
    let documentId: string | undefined;
    let documentBytes = 0;
    let pageBytes = 0;
    session.on('Network.dataReceived', ({ requestId, dataLength }) => {
      pageBytes += dataLength;
      if (requestId === documentId) documentBytes += dataLength;
      if (documentBytes > maxDocumentBytes) this.#exceeded.reject(tooLarge('document', maxDocumentBytes));
      if (pageBytes > maxPageBytes) this.#exceeded.reject(tooLarge('page', maxPageBytes));
    });
    await session.send('Network.enable');
    const { frameTree } = await session.send('Page.getFrameTree');
    // A document's request bears the name of the load that it begins.
    documentId = frameTree.frame.loaderId;
    session.on('Network.requestWillBeSent', ({ requestId, loaderId, frameId }) => {
      if (requestId === loaderId && frameId === frameTree.frame.id) documentId = requestId;
    });
  }

  /**
   * A page that drowns in its own document tells nothing, and a script without end looks the same from outside.
   * So its document is asked for once more, plainly, to see whether it is too large.
   */
  async #probe(): Promise<void> {
    const response = this.#traffic.documentResponse;
    if (this.#isProbed || response === null || this.#traffic.hasContent) return;
    // What the request brought itself is on no server.
    if (response.request().method() !== 'GET' || !/^https?:/.test(response.url())) return;
    const elements = await orAfter(
      isolatedWorldOf(this.#page).evaluate(() => document.getElementsByTagName('*').length),
      answerMs,
      null,
    );
    if (elements !== null && elements > mostElements) this.#exceeded.reject(tooManyElements(elements));
    if (this.#isProbed || (elements !== null && this.#lease.bytesReceived < muchOnTheWire)) return;
    this.#isProbed = true;
    const ask = { url: response.url(), headers: userAgentOf(response.request().headers()) };
    const fetched = await this.#lease
      .fetch({ ...ask, maxBodyBytes: maxDocumentBytes })
      .catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'target_too_large') this.#exceeded.reject(error);
      });
    if (fetched && hasMoreTags(fetched.body, mostElements)) this.#exceeded.reject(tooManyElements(null));
  }
}

function userAgentOf(headers: Record<string, string>): Record<string, string> {
  const userAgent = headers['user-agent'];
  return userAgent === undefined ? {} : { 'user-agent': userAgent };
}

/** Start tags, near enough; looks no further than it must. */
function hasMoreTags(html: Buffer, bound: number): boolean {
  let count = 0;
  // Byte by byte: twenty million calls that each find the next `<` take ten times as long.
  for (let at = 0; at < html.length && count <= bound; at++) {
    if (html[at] !== 0x3c) continue;
    const next = (html[at + 1] ?? 0) | 0x20;
    if (next >= 0x61 && next <= 0x7a) count += 1;
  }
  return count > bound;
}

/** @param count null where it is only known that there are more. */
export const tooManyElements = (count: number | null) =>
  new AppError(
    'target_too_large',
    `The page has ${count ?? `more than ${mostElements}`} elements; at most ${mostElements} are read. Ask for a smaller page.`,
  );

function tooLarge(what: string, bytes: number): AppError {
  return new AppError(
    'target_too_large',
    `The target's ${what} is larger than ${bytes / 1024 / 1024} MB once unpacked. Ask for a smaller page.`,
  );
}
