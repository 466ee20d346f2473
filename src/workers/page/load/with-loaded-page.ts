import type { Page } from 'puppeteer-core';

import type { EgressLease, EgressLeaseOptions } from '../../../shared/egress/types.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Warning } from '../../../shared/schemas/job.ts';
import type { PageQuery } from '../../../shared/schemas/page-options.ts';
import { hasEndedScripts } from '../../browser/blank-page.ts';
import type { Chromium } from '../../browser/chromium.ts';
import type { PageSetup } from '../../browser/page-setup.ts';
import { createAdFilter, noticeAds } from './ad-filter.ts';
import { type DeviceRequest, deviceSetupOf } from './device.ts';
import { noticeLosses } from './lease-notices.ts';
import { loadPage, type LoadedPage } from './load.ts';
import { type PageRequest, toPageSetup } from '../page-request.ts';

/** Of one page, with all that it loads; large ones take some two hundred. */
const mostRequests = 500;
const pastTimeoutMs = 1_000;

export type LoadRequest = PageRequest &
  DeviceRequest &
  Pick<PageQuery, 'timeout' | 'waitFor' | 'blockAds'> & {
    /** The page itself, in place of what is at `url`. */
    html?: string | undefined;
  };

export interface Loaded {
  page: Page;
  loaded: LoadedPage;
  lease: EgressLease;
  /** How long what is done with the page may take: to a second past its time limit, and `leastMs` in any case. */
  leftMs(leastMs: number): number;
  /** Hosts that only bring advertising to this page; not those that it has turned out to be of. */
  turnedAway(): ReadonlyMap<string, number>;
  /** What is to be told of the loading, once the page has been read. */
  loadWarnings(): Warning[];
}

/** What of a worker's tools loads pages. */
export interface LoadTools {
  openLease(options: EgressLeaseOptions): EgressLease;
  readonly chromium: Pick<Chromium, 'withPage'>;
}

/**
 * Loads a page in a browser as a request asks for it, on a lease of its own, and hands it to `read`.
 * @param setup what the request's page has besides.
 */
export async function withLoadedPage<T>(
  request: LoadRequest,
  { tools, signal, setup = {} }: { tools: LoadTools; signal: AbortSignal; setup?: PageSetup },
  read: (loaded: Loaded) => Promise<T>,
): Promise<T> {
  const { url, html, waitFor, timeout: timeoutMs, verifyTls } = request;
  const adFilter = request.blockAds ? createAdFilter(url) : undefined;
  await using lease = tools.openLease({ signal, verifyTls, maxProxyRequests: mostRequests, ...adFilter });
  const options = { ...deviceSetupOf(request), ...toPageSetup(request), ...setup, lease, signal };
  return await tools.chromium.withPage(options, async (page) => {
    const wait = waitFor === undefined ? {} : { waitFor };
    const end = performance.now() + timeoutMs + pastTimeoutMs;
    const leftMs = (leastMs: number): number => Math.max(end - performance.now(), leastMs);
    const loaded = await loadPage(page, { url, html, timeoutMs, lease, adFilter, ...wait });
    const turnedAway = () => new Map([...lease.turnedAway].filter(([host]) => adFilter?.turnAway(host)));
    const loadWarnings = () => [
      ...loaded.warnings,
      ...(hasEndedScripts(page) ? [scriptsEnded] : []),
      ...noticeAds(turnedAway()),
      ...noticeLosses(lease),
    ];
    let result: T;
    try {
      result = await read({ page, loaded, lease, leftMs, turnedAway, loadWarnings });
    } catch (error) {
      signal.throwIfAborted();
      throw loaded.sinceTold() === 'left' ? wentAway(error) : error;
    }
    // What was read may be the page that it went to, which is not the one that is told.
    if (loaded.sinceTold() === 'left') throw wentAway();
    return result;
  });
}

const scriptsEnded: Warning = {
  code: 'scripts_ended',
  message:
    'The page showed one dialog after the other, so its scripts were ended; it is shown as it was then, and what they were still to bring is missing.',
};

function wentAway(cause?: unknown): AppError {
  return new AppError('page_crashed', 'The page went away while it was read. Asking again may help.', {
    cause,
  });
}
