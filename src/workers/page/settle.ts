import { setTimeout as sleep } from 'node:timers/promises';

import type { Page } from 'puppeteer-core';

import { AppError } from '../../shared/errors.ts';
import { isolatedWorldOf } from '../browser/isolated-world.ts';
import { type PageState, readState } from './page-state.ts';
import type { Traffic } from './traffic.ts';
import type { WaitFor } from './wait-for.ts';

const quietMs = 150;
const shellQuietMs = 300;
const settleCapMs = 5_000;
const networkIdleMs = 500;
/** WebSockets and long polls never end; a page that keeps one open is ready all the same. */
const networkIdleCapMs = 15_000;
const longestRefreshSeconds = 2;

/**
 * What is to be waited for after the load event.
 * @returns the page's state when it has settled, `busy` when it was still active at a cap, else `deadline`.
 * @throws AppError `selector_not_found`, `page_unresponsive`.
 */
export async function settle(
  page: Page,
  traffic: Traffic,
  waitFor: WaitFor,
  remainingMs: () => number,
): Promise<PageState | 'busy' | 'deadline'> {
  switch (waitFor.kind) {
    case 'default':
      return settleByDefault(page, traffic, remainingMs);
    case 'networkidle': {
      const capMs = Math.min(remainingMs(), networkIdleCapMs);
      if (!(await traffic.becomesQuiet(networkIdleMs, capMs)))
        return remainingMs() <= 0 ? 'deadline' : 'busy';
      break;
    }
    case 'delay': {
      const enough = waitFor.delayMs <= remainingMs();
      await sleep(Math.max(0, Math.min(waitFor.delayMs, remainingMs())));
      if (!enough) return 'deadline';
      break;
    }
    case 'selector':
      await waitForSelector(page, waitFor.selector, remainingMs);
      await traffic.becomesQuiet(quietMs, Math.min(remainingMs(), 1_000));
      break;
    default:
  }
  return readState(page, remainingMs());
}

/** Costs one question where nothing happens after the load event. */
async function settleByDefault(
  page: Page,
  traffic: Traffic,
  remainingMs: () => number,
): Promise<PageState | 'busy' | 'deadline'> {
  const end = performance.now() + Math.min(settleCapMs, remainingMs());
  const leftMs = (): number => Math.max(0, end - performance.now());
  for (;;) {
    const seen = traffic.documents.length;
    const state = await readState(page, remainingMs());
    const { refreshInSeconds } = state;
    if (refreshInSeconds !== null && refreshInSeconds <= longestRefreshSeconds) {
      await waitForNavigation(traffic, seen, Math.min(leftMs(), refreshInSeconds * 1000 + 500));
    } else if (traffic.inFlight === 0 && !state.isShell && !state.isApp && !state.isLoading) {
      return state;
    }
    const quiet = await traffic.becomesQuiet(state.isShell ? shellQuietMs : quietMs, leftMs());
    if (!quiet || leftMs() === 0) return remainingMs() <= 0 ? 'deadline' : 'busy';
    if (traffic.documents.length === seen) return readState(page, remainingMs());
  }
}

async function waitForNavigation(traffic: Traffic, seen: number, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (traffic.documents.length === seen && performance.now() < end) await sleep(20);
}

async function waitForSelector(page: Page, selector: string, remainingMs: () => number): Promise<void> {
  try {
    await isolatedWorldOf(page).waitForFunction(
      (text) => document.querySelector(text) !== null,
      {
        polling: 'mutation',
        timeout: Math.max(1, remainingMs()),
      },
      selector,
    );
  } catch (error) {
    if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
    // A page that cannot answer is told apart from one without the element.
    await readState(page, 0);
    throw new AppError('selector_not_found', `No element matched "${selector}" before the deadline.`);
  }
}
