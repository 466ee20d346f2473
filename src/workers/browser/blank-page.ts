import type { BrowserContext, CDPSession, Page } from 'puppeteer-core';

import type { EgressLease, ProxyAddress, WaitingProxy } from '../../shared/egress/types.ts';
import { proxyEverything } from './flags.ts';
import type { LaunchedChromium } from './launched-chromium.ts';

/** A page that has opened nothing yet, in a context of its own. */
export interface BlankPage {
  context: BrowserContext;
  page: Page;
}

/** @param proxy the only way out of the context. */
export async function openBlankPage(chromium: LaunchedChromium, proxy: ProxyAddress): Promise<BlankPage> {
  const context = await chromium.browser.createBrowserContext({
    proxyServer: proxy.url,
    proxyBypassList: [proxyEverything],
  });
  try {
    const [page] = await Promise.all([
      context.newPage(),
      chromium.session.send('Browser.setDownloadBehavior', {
        behavior: 'deny',
        ...(context.id ? { browserContextId: context.id } : {}),
      }),
    ]);
    forgetRequests(page);
    await signIn(page, proxy);
    answerDialogs(page);
    context.on('targetcreated', (target) => {
      if (target.type() === 'page')
        void target
          .page()
          .then((popup) => popup?.close())
          .catch(() => {});
    });
    return { context, page };
  } catch (error) {
    context.close().catch(() => {});
    throw error;
  }
}

/**
 * Puppeteer counts what is under way for `waitForNetworkIdle`, which nobody calls here: each request listens for its end
 * among all ends, so that thousands that end together would hold the event loop for seconds.
 */
function forgetRequests(page: Page): void {
  page.removeAllListeners('request');
}

/** One that shows more dialogs within the time is shown as it was then. */
const mostDialogs = 20;
const dialogsWithinMs = 5_000;
const endedPages = new WeakSet<Page>();

/** Whether the scripts of the page were ended, because it showed dialogs without end. */
export const hasEndedScripts = (page: Page): boolean => endedPages.has(page);

/**
 * A dialog stops its page until it is answered. Leaving a page is never to be confirmed. The scripts of a page that shows
 * dialogs without end are ended: it would answer nothing else.
 */
function answerDialogs(page: Page): void {
  const lately: number[] = [];
  page.on('dialog', (dialog) => {
    const now = performance.now();
    lately.push(now);
    const first = lately.length < mostDialogs ? undefined : lately.shift();
    if (first !== undefined && now - first < dialogsWithinMs && !endedPages.has(page)) {
      endedPages.add(page);
      void endScripts(page).catch(() => {});
    }
    (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()).catch(() => {});
  });
}

async function endScripts(page: Page): Promise<void> {
  // A page that is busy takes no other session. (Marked as internal; the version is pinned.)
  // oxlint-disable-next-line no-underscore-dangle
  const session = (page as Page & { _client(): CDPSession })._client();
  await Promise.all([
    session.send('Runtime.terminateExecution'),
    session.send('Emulation.setScriptExecutionDisabled', { value: true }),
  ]);
}

/**
 * Has the page's context learn the credential of its proxy. Chromium keeps it for all that goes there: pages, frames,
 * workers, sockets; so nothing of the page itself is held up for it.
 */
export async function signIn(page: Page, { username, password, signInUrl }: ProxyAddress): Promise<void> {
  const session = await page.createCDPSession();
  session.on('Fetch.requestPaused', ({ requestId }) => {
    session.send('Fetch.continueRequest', { requestId }).catch(() => {});
  });
  session.on('Fetch.authRequired', ({ requestId }) => {
    const authChallengeResponse = { response: 'ProvideCredentials' as const, username, password };
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => {});
  });
  const [, { errorText }] = await Promise.all([
    session.send('Fetch.enable', { handleAuthRequests: true, patterns: [{ urlPattern: signInUrl }] }),
    session.send('Page.navigate', { url: signInUrl }),
  ]);
  // An answer of 204 leaves the page where it is.
  if (errorText !== 'net::ERR_ABORTED')
    throw new Error(`The proxy did not take the credential: ${errorText}`);
  session.detach().catch(() => {});
}

interface Spare extends BlankPage {
  proxy: WaitingProxy;
  isLost: boolean;
}

/**
 * One blank page of a Chromium, opened before the job that it is for, since opening takes a fifth of a small
 * screenshot's time. It serves that one job, as any other page.
 */
export class SparePage {
  readonly #chromium: LaunchedChromium;
  readonly #openProxy: (() => Promise<WaitingProxy>) | undefined;
  /** Those that no lease has taken. */
  readonly #proxies = new Set<WaitingProxy>();
  #spare: Promise<Spare | null> | undefined;

  /** @param openProxy for the page; without it none is kept. */
  constructor(chromium: LaunchedChromium, openProxy: (() => Promise<WaitingProxy>) | undefined) {
    this.#chromium = chromium;
    this.#openProxy = openProxy;
  }

  prepare(): void {
    if (this.#openProxy === undefined || !this.#chromium.isConnected) return;
    this.#spare ??= this.#open(this.#openProxy).catch(() => null);
  }

  /** The page, its proxy now the lease's; null when there is none to be had. */
  async take(lease: EgressLease): Promise<BlankPage | null> {
    const taken = this.#spare;
    this.#spare = undefined;
    const spare = (await taken) ?? null;
    if (spare === null) return null;
    if (!spare.isLost && !spare.page.isClosed() && lease.takeProxy(spare.proxy)) {
      this.#proxies.delete(spare.proxy);
      return spare;
    }
    spare.context.close().catch(() => {});
    await this.#close(spare.proxy);
    return null;
  }

  /** For a Chromium that has ended: a page that was being opened is not heard of again. */
  async drop(): Promise<void> {
    await Promise.all([...this.#proxies].map((proxy) => this.#close(proxy)));
  }

  async #close(proxy: WaitingProxy): Promise<void> {
    this.#proxies.delete(proxy);
    await proxy[Symbol.asyncDispose]();
  }

  async #open(openProxy: () => Promise<WaitingProxy>): Promise<Spare> {
    const proxy = await openProxy();
    this.#proxies.add(proxy);
    try {
      const spare: Spare = { ...(await openBlankPage(this.#chromium, proxy)), proxy, isLost: false };
      spare.page.once('error', () => (spare.isLost = true));
      return spare;
    } catch (error) {
      await this.#close(proxy);
      throw error;
    }
  }
}
