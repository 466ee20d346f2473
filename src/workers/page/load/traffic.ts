import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { HTTPRequest, HTTPResponse, Page } from 'puppeteer-core';

/** Requests that a page may hold open for ever without being unfinished. */
const endlessTypes = new Set(['eventsource', 'websocket', 'media', 'ping', 'prefetch', 'cspviolationreport']);

/** A request of a script that has been alone and unanswered for so long is held open by its server. */
const longPollMs = 3_000;
/** From this many times on, the same question is a poll, and the page does not wait for its answer. */
const pollTimes = 3;
const maxQuestions = 1_000;
/** Characters of one that is kept as it is, of others a hash: a page has addresses and bodies of any length. */
const maxQuestionLength = 1_000;

/** Listens to one page's requests: what is in flight, and which document came last. */
export class Traffic implements Disposable {
  readonly #page: Page;
  readonly #inFlight = new Set<HTTPRequest>();
  /** What the document before the last one has in flight, or begins until that takes its place: it ends then, and none tells. */
  readonly #leftBehind = new Set<HTTPRequest>();
  /** How often a script has asked the same. */
  readonly #asked = new Map<string, number>();
  readonly #stop: () => void;
  /** Requests for the page's own document, in order, one for each navigation (redirect hops not counted). */
  readonly documents: HTTPRequest[] = [];
  /** The document's body ended early, so that it is shown in part. */
  isDocumentCut = false;
  /** That of the document shown, which is not always the last: a download or "no content" leaves the page that is there. */
  #shown: HTTPRequest | null = null;
  #answered: HTTPResponse | null = null;
  /** What is shown is Chromium's own page in place of a document that failed. */
  #showsError = false;
  /** The last document has been read to its end. */
  hasContent = false;
  #lastChange = performance.now();
  readonly #firstResponse = Promise.withResolvers<void>();

  constructor(page: Page) {
    this.#page = page;
    const onRequest = (request: HTTPRequest): void => this.#begin(request);
    const onEnd = (request: HTTPRequest): void => this.#finish(request);
    const onFailure = (request: HTTPRequest): void => {
      const isShown = request === this.documents.at(-1) && request === this.documentResponse?.request();
      if (isShown && !/ERR_ABORTED/.test(request.failure()?.errorText ?? '')) this.isDocumentCut = true;
      this.#finish(request);
    };
    const onResponse = (response: HTTPResponse): void => this.#respond(response);
    page.on('request', onRequest).on('requestfinished', onEnd).on('requestfailed', onFailure);
    const onContent = (): void => void (this.hasContent = true);
    page.on('response', onResponse).on('domcontentloaded', onContent);
    // Chromium does not tell of the end of an XSL style sheet; the page has waited for it.
    const onLoad = (): void => {
      for (const request of this.#inFlight)
        if (request.resourceType() === 'stylesheet') this.#finish(request);
    };
    page.on('load', onLoad);
    this.#stop = () => {
      page.off('request', onRequest).off('requestfinished', onEnd).off('requestfailed', onFailure);
      page.off('response', onResponse).off('domcontentloaded', onContent).off('load', onLoad);
    };
  }

  /** Resolves when the first document begins to answer. */
  get firstResponse(): Promise<void> {
    return this.#firstResponse.promise;
  }

  /** The answer that is shown; before any is, the last that came; null before that. */
  get documentResponse(): HTTPResponse | null {
    return this.#shown?.response() ?? this.#answered;
  }

  /** The document that failed after another had been shown, in whose place Chromium shows a page of its own. */
  get failedDocument(): HTTPRequest | null {
    return this.#showsError && this.#shown?.response() === null ? this.#shown : null;
  }

  /** Another document is on its way. */
  get isLeaving(): boolean {
    const last = this.documents.at(-1);
    return last !== undefined && last !== this.#shown && this.#inFlight.has(last);
  }

  /** A document takes the place of the one before. @param loaderId that of its request. */
  commit(loaderId: string, isError: boolean): void {
    this.#shown = this.documents.findLast((request) => loaderOf(request) === loaderId) ?? this.#shown;
    this.#showsError = isError;
    this.isDocumentCut = false;
    this.hasContent = false;
    if (this.#shown !== this.documents.at(-1)) return;
    for (const request of this.#leftBehind) this.#finish(request);
  }

  /** Requests that a page waits for; those that wait for news are none. */
  get inFlight(): number {
    const isStill = performance.now() - this.#lastChange >= longPollMs;
    return isStill ? [...this.#inFlight].filter((one) => !isByScript(one)).length : this.#inFlight.size;
  }

  /**
   * Waits until nothing has been in flight for `quietMs`, `capMs` at most.
   * @returns whether it became quiet.
   */
  async becomesQuiet(quietMs: number, capMs: number): Promise<boolean> {
    const end = performance.now() + capMs;
    for (;;) {
      const now = performance.now();
      const quietFor = this.inFlight === 0 ? now - this.#lastChange : 0;
      if (quietFor >= quietMs) return true;
      if (now >= end) return false;
      await sleep(Math.min(this.inFlight === 0 ? quietMs - quietFor : 25, end - now) + 1);
    }
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #begin(request: HTTPRequest): void {
    const isDocument = request.isNavigationRequest() && request.frame() === this.#page.mainFrame();
    if (endlessTypes.has(request.resourceType())) return;
    if (/^(blob|data):/.test(request.url()) && !isDocument) return;
    if (isDocument) {
      // Each hop of a redirect is a request of its own, with the earlier ones in its chain.
      if (request.redirectChain().length > 0) this.documents.pop();
      else for (const unfinished of this.#inFlight) this.#leftBehind.add(unfinished);
      this.documents.push(request);
    }
    for (const earlier of request.redirectChain()) this.#forget(earlier);
    if (isByScript(request) && this.#countAsked(request) >= pollTimes) return;
    this.#inFlight.add(request);
    if (!isDocument && this.isLeaving) this.#leftBehind.add(request);
    this.#lastChange = performance.now();
  }

  #countAsked(request: HTTPRequest): number {
    const text = `${request.method()} ${request.url()} ${request.postData() ?? ''}`;
    const question =
      text.length > maxQuestionLength ? createHash('sha256').update(text).digest('base64') : text;
    const times = (this.#asked.get(question) ?? 0) + 1;
    if (this.#asked.size < maxQuestions) this.#asked.set(question, times);
    return times;
  }

  #finish(request: HTTPRequest): void {
    if (this.#forget(request)) this.#lastChange = performance.now();
  }

  /** @returns whether it was in flight. */
  #forget(request: HTTPRequest): boolean {
    this.#leftBehind.delete(request);
    return this.#inFlight.delete(request);
  }

  #respond(response: HTTPResponse): void {
    const request = response.request();
    if (request !== this.documents.at(-1)) return;
    if (response.status() >= 300 && response.status() < 400 && response.headers()['location']) return;
    this.#answered = response;
    this.#firstResponse.resolve();
  }
}

/** A document's request bears the name of the load that it begins. (Puppeteer marks it as internal; the version is pinned.) */
function loaderOf(request: HTTPRequest): string {
  return (request as HTTPRequest & { id: string }).id;
}

function isByScript(request: HTTPRequest): boolean {
  return request.resourceType() === 'fetch' || request.resourceType() === 'xhr';
}
