import type { HTTPRequest, Page } from 'puppeteer-core';

import type { EgressLease } from '../../../shared/egress/types.ts';

/**
 * Lets a page make so many requests, and fails the later ones: of what goes by TLS the door sees connections only. A page
 * within the bound pays nothing, since requests are held up from then on only; so those that are under way at that
 * moment, of a page that asks for all at once, are still made.
 */
export class RequestBound {
  readonly #page: Page;
  readonly #lease: Pick<EgressLease, 'turnedAway'>;
  readonly #most: number;
  #made = 0;
  #isReached = false;
  /** Requests past the bound that were not made. */
  dropped = 0;

  /** @param lease the page's; what it turns away does not count. */
  constructor(page: Page, lease: Pick<EgressLease, 'turnedAway'>, most: number) {
    this.#page = page;
    this.#lease = lease;
    this.#most = most;
    page.on('request', (request) => this.#count(request));
  }

  #count(request: HTTPRequest): void {
    if (request.interceptResolutionState().action === 'none') {
      const isNavigation = request.isNavigationRequest() && request.frame() === this.#page.mainFrame();
      if (!isNavigation) this.dropped += 1;
      // Where the page leads is bounded by itself, and a failure would be shown in its place. Or the page has gone.
      (isNavigation ? request.continue() : request.abort('aborted')).catch(() => {});
      return;
    }
    if (this.#isReached || !/^https?:/.test(request.url())) return;
    this.#made += 1;
    if (this.#made < this.#most) return;
    const turnedAway = [...this.#lease.turnedAway.values()].reduce((sum, count) => sum + count, 0);
    if (this.#made - turnedAway < this.#most) return;
    this.#isReached = true;
    this.#page.setRequestInterception(true).catch(() => {});
  }
}
