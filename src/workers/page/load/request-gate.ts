import type { CDPSession, Page, Protocol } from 'puppeteer-core';

import type { EgressLease } from '../../../shared/egress/types.ts';
import type { Warning } from '../../../shared/schemas/job.ts';
import { mostNavigations, navigationsStopped } from './refresh.ts';
import type { Traffic } from './traffic.ts';

/** Frames of a page whose documents are loaded; each costs as much as a small page. */
const mostFrames = 100;

/** Of what goes by TLS the door sees connections only; every other request of a page is counted there. */
const heldUp = [{ urlPattern: 'https://*' }, { resourceType: 'Document' as const }];
/** What has loaders of its own; workers are held up with the frame that they are of. */
const ownLoaders = [{ type: 'iframe' }, { type: 'service_worker' }];

type Paused = Protocol.Fetch.RequestPausedEvent;
type Admission = Pick<EgressLease, 'turnsAway' | 'admit' | 'drop' | 'isSpent'>;

/** What a page has done since it was told: led elsewhere, where it does not get; gone, to what takes no request. */
export type SinceTold = 'stayed' | 'held' | 'left';

/**
 * Holds up each request of a page by TLS until its lease admits it, and each document until it is known how often the page
 * has led elsewhere, and how many frames it has: past its bounds it stays where it is, and gets no more. It holds until the page is
 * closed, which may ask for more while it is read.
 */
export class RequestGate {
  readonly #traffic: Traffic;
  readonly #lease: Admission;
  readonly #session: CDPSession;
  #mainFrame = '';
  #navigations = 0;
  readonly #frames = new Set<string>();
  #hasStopped = false;
  #isLocked = false;
  #sinceLock: SinceTold = 'stayed';
  #advertiser: string | null = null;

  private constructor(session: CDPSession, traffic: Traffic, lease: Admission) {
    this.#session = session;
    this.#traffic = traffic;
    this.#lease = lease;
  }

  /** Before the page's first navigation. */
  static async close(page: Page, traffic: Traffic, lease: Admission): Promise<RequestGate> {
    const session = await page.createCDPSession();
    const gate = new RequestGate(session, traffic, lease);
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId !== undefined) return;
      traffic.commit(frame.loaderId, frame.unreachableUrl !== undefined);
      if (gate.#isLocked) gate.#sinceLock = 'left';
    });
    const [{ frameTree }] = await Promise.all([
      session.send('Page.getFrameTree'),
      session.send('Page.enable'),
      gate.#hold(session),
    ]);
    gate.#mainFrame = frameTree.frame.id;
    return gate;
  }

  /** The next document is our own: the page has led nowhere yet. @param isAskedFor it is no data: URL. */
  begin(isAskedFor: boolean): void {
    this.#navigations = isAskedFor ? -1 : 0;
    this.#advertiser = null;
  }

  /**
   * From now on the page gets no document: what is told of it and what is drawn are one page, unless it has `left`.
   * @returns whether it has gone elsewhere before it could be held: what was known of it is of the page before.
   */
  async lock(): Promise<boolean> {
    this.#isLocked = true;
    // The page has gone.
    if (this.#traffic.isLeaving) await this.#session.send('Page.stopLoading').catch(() => {});
    // Where it has gone by then is told.
    const hasGone = this.#sinceLock === 'left';
    this.#sinceLock = 'stayed';
    return hasGone;
  }

  get sinceLock(): SinceTold {
    return this.#sinceLock;
  }

  /** The host of an advertiser to which the page led last, where it did not get, and nowhere else since. */
  get advertiser(): string | null {
    return this.#advertiser;
  }

  get warnings(): Warning[] {
    return this.#hasStopped ? [navigationsStopped] : [];
  }

  /** A target of its own begins to run once it is held up, too. */
  async #hold(session: CDPSession): Promise<void> {
    session.on('Fetch.requestPaused', (paused) => {
      const { requestId } = paused;
      const answer = this.#admits(paused)
        ? session.send('Fetch.continueRequest', { requestId })
        : // Any other failure would be shown in the place of the document that is there.
          session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
      // The page has gone.
      answer.catch(() => {});
    });
    session.on('sessionattached', (own) => {
      this.#hold(own).catch(() => {});
      own.send('Runtime.runIfWaitingForDebugger').catch(() => {});
    });
    const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: ownLoaders };
    await Promise.all([
      session.send('Fetch.enable', { patterns: heldUp }),
      session.send('Target.setAutoAttach', attach),
    ]);
  }

  #admits({ frameId, resourceType, redirectedRequestId, request }: Paused): boolean {
    const isDocument = resourceType === 'Document';
    const isOwnDocument = isDocument && frameId === this.#mainFrame;
    if (isOwnDocument && this.#isLocked) {
      if (this.#sinceLock === 'stayed') this.#sinceLock = 'held';
      return false;
    }
    const isHop = redirectedRequestId !== undefined;
    if (isOwnDocument && !isHop) this.#navigations += 1;
    // Where the page that was asked for is itself an advertiser's, the door's refusal says so.
    const isFirst = isOwnDocument && this.#navigations <= 0;
    const host = URL.parse(request.url)?.hostname ?? '';
    const isAdvertiser = !isFirst && this.#lease.turnsAway(host);
    if (isAdvertiser && isOwnDocument) this.#advertiser = host;
    const isAdmitted =
      !isAdvertiser &&
      (!isDocument || isOwnDocument || this.#mayShow(frameId)) &&
      (!isOwnDocument || isHop || this.#mayLead()) &&
      this.#mayAsk(request.url, isOwnDocument);
    if (isOwnDocument && isAdmitted) this.#advertiser = null;
    if (isOwnDocument && !isAdmitted) this.#traffic.documents.pop();
    return isAdmitted;
  }

  /** The door's refusal of the page's own document would be shown in its place. */
  #mayAsk(url: string, isOwnDocument: boolean): boolean {
    if (url.startsWith('https:')) return this.#lease.admit();
    if (!isOwnDocument || !this.#lease.isSpent) return true;
    this.#lease.drop();
    return false;
  }

  #mayShow(frameId: string): boolean {
    if (this.#frames.size < mostFrames) this.#frames.add(frameId);
    if (this.#frames.has(frameId)) return true;
    this.#lease.drop();
    return false;
  }

  #mayLead(): boolean {
    if (this.#navigations <= mostNavigations) return true;
    this.#hasStopped = true;
    return false;
  }
}
