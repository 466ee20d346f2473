import type { Page } from 'puppeteer-core';

import type { EgressLease } from '../../shared/egress/types.ts';
import { AppError } from '../../shared/errors.ts';
import { type BlankPage, openBlankPage } from './blank-page.ts';
import type { BrowserInstance } from './browser-instance.ts';
import { type ChromiumDescription, ChromiumKeeper, type ChromiumOptions } from './chromium-keeper.ts';
import { orAfter, withDeadline } from './deadline.ts';
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
/** From the kill of a page's process to its event: where the kernel takes long to free a gigabyte, a second and more. */
const crashHeardMs = 10_000;

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
  const instance = await keeper.enter();
  const { browser } = instance.chromium;
  const ended = Promise.withResolvers<never>();
  // It is also rejected when nobody waits for it any more.
  ended.promise.catch(() => {});
  const onAbort = (): void => ended.reject(signal?.reason);
  const onDisconnect = (): void => ended.reject(crashed('The browser ended under the page.'));
  signal?.addEventListener('abort', onAbort, { once: true });
  // It may have come while an instance was waited for.
  if (signal?.aborted) onAbort();
  // Not `once`: `off` would not find it, and it keeps all of the job.
  browser.on('disconnected', onDisconnect);
  const blank = openPage(instance, options.lease);
  try {
    const opening = blank.then(async ({ page }) => {
      page.on('error', (cause) => ended.reject(explainCrash(instance, cause)));
      // Drawing a page leaves more of the machine idle than loading one.
      page.once('load', () => keeper.prepareNext(instance));
      await setUpPage(page, options, instance.chromium.executable.version);
      return page;
    });
    const page = await withDeadline(Promise.race([opening, ended.promise]), openTimeoutMs, () => {
      keeper.replace(instance, 'it does not open pages');
      return crashed('The browser did not answer and was replaced.');
    });
    return await Promise.race([job(page), ended.promise]);
  } catch (error) {
    signal?.throwIfAborted();
    throw isLostTarget(error) ? crashed('The page was lost while it was read.', error) : error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    browser.off('disconnected', onDisconnect);
    // Not awaited: the caller has what it came for, and the instance counts the job until its page is gone.
    void closeContext(keeper, instance, blank);
  }
}

async function openPage(instance: BrowserInstance, lease: EgressLease): Promise<BlankPage> {
  const spare = await instance.sparePage.take(lease);
  if (spare) return spare;
  return openBlankPage(instance.chromium, await lease.openProxy());
}

async function closeContext(
  keeper: ChromiumKeeper,
  instance: BrowserInstance,
  opening: Promise<BlankPage>,
): Promise<void> {
  const closing = opening.then(
    ({ context }) =>
      context.close().then(
        () => 'closed',
        () => 'closed',
      ),
    () => 'closed',
  );
  if ((await orAfter(closing, closeTimeoutMs, 'late')) === 'late') {
    // It may be one page's doing, which is not to end the others'.
    keeper.retire(instance, 'it does not close its pages');
  }
  keeper.leave(instance);
}

/**
 * The first page that is lost after one was ended for its memory is that one; another run of it would only take
 * the memory again. (Chromium does not tell which process a page has.)
 */
function explainCrash({ endedForMemory }: BrowserInstance, cause: Error): AppError {
  if (endedForMemory === null || endedForMemory.isHeard) return crashed('The page crashed.', cause);
  if (performance.now() - endedForMemory.at > crashHeardMs) return crashed('The page crashed.', cause);
  endedForMemory.isHeard = true;
  const detail = 'The page took more memory than one page may, and was ended.';
  return new AppError('page_crashed', detail, { cause, isFinal: true });
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
