import type { BrowserContext, Page } from 'puppeteer-core';

import type { EgressLease } from '../../shared/egress/types.ts';
import { AppError } from '../../shared/errors.ts';
import {
  type ChromiumDescription,
  ChromiumKeeper,
  type ChromiumOptions,
  type Room,
} from './chromium-keeper.ts';
import { orAfter, withDeadline } from './deadline.ts';
import { proxyEverything } from './flags.ts';
import { type PageSetup, setUpPage } from './page-setup.ts';

export interface PageOptions extends PageSetup {
  /** The job's way out; the page reaches nothing else. */
  lease: EgressLease;
  /** Aborting it closes the page at once; `withPage` then throws the signal's reason. */
  signal?: AbortSignal;
}

export interface Chromium extends AsyncDisposable {
  /**
   * Runs `job` with a fresh page in a fresh context (no cookies, cache or storage of any other job), which is
   * closed when the job ends, however it ends.
   * @throws AppError `page_crashed` when the page or the browser died under the job; asking again may help.
   */
  withPage<T>(options: PageOptions, job: (page: Page) => Promise<T>): Promise<T>;
  /** Starts Chromium before the first job asks for it. */
  warmUp(): Promise<void>;
  /** The running Chromium; null before the first job and between two. */
  describe(): ChromiumDescription | null;
}

/** Opening a page takes about 50 ms, on a very busy machine seconds. Longer: Chromium does not answer. */
const openTimeoutMs = 20_000;
const closeTimeoutMs = 5_000;
/** From the end of a page's process to its event. */
const crashHeardMs = 2_000;

/** Nothing is started before the first job. */
export function createChromium(options: ChromiumOptions): Chromium {
  const keeper = new ChromiumKeeper(options);
  return {
    withPage: (pageOptions, job) => withPage(keeper, pageOptions, job),
    warmUp: () => keeper.warmUp(),
    describe: () => keeper.describe(),
    [Symbol.asyncDispose]: () => keeper[Symbol.asyncDispose](),
  };
}

async function withPage<T>(
  keeper: ChromiumKeeper,
  options: PageOptions,
  job: (page: Page) => Promise<T>,
): Promise<T> {
  const { signal } = options;
  signal?.throwIfAborted();
  const room = await keeper.enter();
  const { browser } = room.chromium;
  const ended = Promise.withResolvers<never>();
  // It is also rejected when nobody waits for it any more.
  ended.promise.catch(() => {});
  const onAbort = (): void => ended.reject(signal?.reason);
  const onDisconnect = (): void => ended.reject(crashed('The browser ended under the page.'));
  signal?.addEventListener('abort', onAbort, { once: true });
  browser.once('disconnected', onDisconnect);
  const context = openContext(room, options.lease);
  try {
    const opening = context.then((opened) => openPage(room, opened, options, ended.reject));
    const page = await withDeadline(Promise.race([opening, ended.promise]), openTimeoutMs, () => {
      keeper.replace(room, 'it does not open pages');
      return crashed('The browser did not answer and was replaced.');
    });
    return await Promise.race([job(page), ended.promise]);
  } catch (error) {
    signal?.throwIfAborted();
    throw isLostTarget(error) ? crashed('The page was lost while it was read.', error) : error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    browser.off('disconnected', onDisconnect);
    // Not awaited: the caller has what it came for, and the room counts the job until its page is gone.
    void closeContext(keeper, room, context);
  }
}

async function openContext({ chromium }: Room, lease: EgressLease): Promise<BrowserContext> {
  const { url } = await lease.openProxy();
  return chromium.browser.createBrowserContext({ proxyServer: url, proxyBypassList: [proxyEverything] });
}

async function openPage(
  room: Room,
  context: BrowserContext,
  options: PageOptions,
  onCrash: (error: AppError) => void,
): Promise<Page> {
  const { chromium } = room;
  const [page] = await Promise.all([
    context.newPage(),
    chromium.session.send('Browser.setDownloadBehavior', {
      behavior: 'deny',
      ...(context.id ? { browserContextId: context.id } : {}),
    }),
  ]);
  page.on('error', (cause) => onCrash(explainCrash(room, cause)));
  // A dialog stops its page until it is answered. Leaving a page is never to be confirmed.
  page.on('dialog', (dialog) => {
    (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()).catch(() => {});
  });
  context.on('targetcreated', (target) => {
    if (target.type() === 'page')
      void target
        .page()
        .then((popup) => popup?.close())
        .catch(() => {});
  });
  await setUpPage(page, options, chromium.executable.version);
  return page;
}

async function closeContext(
  keeper: ChromiumKeeper,
  room: Room,
  opening: Promise<BrowserContext>,
): Promise<void> {
  const closing = opening.then(
    (context) =>
      context.close().then(
        () => 'closed',
        () => 'closed',
      ),
    () => 'closed',
  );
  if ((await orAfter(closing, closeTimeoutMs, 'late')) === 'late') {
    keeper.replace(room, 'it does not close its pages');
  }
  keeper.leave(room);
}

/** Another run of a page that was ended for its memory would only take it again. */
function explainCrash(room: Room, cause: Error): AppError {
  const detail = 'The page took more memory than one page may, and was ended.';
  const isForMemory = performance.now() - room.endedForMemoryAt < crashHeardMs;
  return isForMemory
    ? new AppError('page_crashed', detail, { cause, isFinal: true })
    : crashed('The page crashed.', cause);
}

function crashed(detail: string, cause?: unknown): AppError {
  return new AppError('page_crashed', `${detail} Asking again may help.`, { cause });
}

/** How Puppeteer's errors say that the page is gone, whoever closed it. */
function isLostTarget(error: unknown): boolean {
  return (
    error instanceof Error &&
    (/^(TargetCloseError|ConnectionClosedError)$/.test(error.name) ||
      /Target closed|Session closed|Connection closed|detached Frame|Page crashed/.test(error.message))
  );
}
