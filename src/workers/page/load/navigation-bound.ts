import type { HTTPRequest, Page } from 'puppeteer-core';

import type { Warning } from '../../../shared/schemas/job.ts';
import type { Traffic } from './traffic.ts';

/** How often a page may lead elsewhere by itself: by a script, a meta refresh, a header. */
const mostNavigations = 3;

/**
 * Stops a page that leads elsewhere, or back to itself, again and again: it stays where it was then. Pages that lead
 * nowhere cost nothing: documents are only held up from the first such navigation on.
 */
export class NavigationBound implements Disposable {
  readonly #page: Page;
  readonly #traffic: Traffic;
  readonly #onRequest: (request: HTTPRequest) => void;
  #isHoldingUp = false;
  #isReached = false;

  constructor(page: Page, traffic: Traffic) {
    this.#page = page;
    this.#traffic = traffic;
    this.#onRequest = (request) => {
      if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
      if (traffic.documents.length > 1 && !this.#isHoldingUp) void this.#holdUp().catch(() => {});
    };
    page.on('request', this.#onRequest);
  }

  get warnings(): Warning[] {
    if (!this.#isReached) return [];
    const message = `The page led elsewhere ${mostNavigations} times by itself, and was stopped when it did so again.`;
    return [{ code: 'navigations_stopped', message }];
  }

  /** What is held up goes on being so until the page is closed: it may try again while it is read. */
  [Symbol.dispose](): void {
    this.#page.off('request', this.#onRequest);
  }

  async #holdUp(): Promise<void> {
    this.#isHoldingUp = true;
    const session = await this.#page.createCDPSession();
    // At once, or more of its documents slip through meanwhile.
    const tree = session.send('Page.getFrameTree');
    session.on('Fetch.requestPaused', async ({ requestId, frameId, redirectedRequestId }) => {
      const mainFrame = await tree.then(({ frameTree }) => frameTree.frame.id).catch(() => null);
      const leadsElsewhere = frameId === mainFrame && redirectedRequestId === undefined;
      const isTooMany = leadsElsewhere && this.#traffic.documents.length - 1 > mostNavigations;
      if (isTooMany) {
        this.#isReached = true;
        this.#traffic.documents.pop();
      }
      const answer = isTooMany
        ? session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
        : session.send('Fetch.continueRequest', { requestId });
      // The page has gone.
      answer.catch(() => {});
    });
    await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] });
  }
}
