import { setTimeout as sleep } from 'node:timers/promises';

import type { Frame, Page } from 'puppeteer-core';

import { AppError } from '../../../shared/errors.ts';
import { orAfter } from '../../browser/deadline.ts';
import { isolatedWorldOf } from '../../browser/isolated-world.ts';
import { longestTimerMs, readTimers, type TimersLeft } from '../../browser/timer-watch.ts';
import { maxFrames, showsFrame } from './frame-content.ts';
import { type PageState, readState, unresponsive } from './page-state.ts';
import { readRefresh, resolveTarget, soonestRefresh } from './refresh.ts';
import type { Traffic } from './traffic.ts';
import type { WaitFor } from './wait-for.ts';

const quietMs = 150;
const shellQuietMs = 300;
const settleCapMs = 5_000;
const networkIdleMs = 500;
/** WebSockets and long polls never end; a page that keeps one open is ready all the same. */
const networkIdleCapMs = 15_000;
/** Timers that begin within this time after the load event are waited for: a chain of them may never end. */
const timersCapMs = longestTimerMs + 200;
/** What a timer's own work may take. */
const timerTurnMs = 30;
const noTimers: TimersLeft = { shortMs: -Infinity, allMs: -Infinity };
/** A frame that is busy holds up nothing else. */
const frameAnswersWithinMs = 200;
/** How often a page is looked at that waits for a timer, but may be done before it. */
const pollMs = 300;
/** A change of so little is a clock or a counter, not content. */
const clockCharacters = 3;
/** Of a page whose time is over. */
const answersWithinMs = 500;

/**
 * What is to be waited for after the load event.
 * @returns the page's state when it has settled, `busy` when it was still active at a cap, else `deadline`.
 * @throws AppError `selector_not_found`; `page_unresponsive` where a page that does not answer was to show an element.
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
  return (await readState(page, remainingMs())) ?? 'deadline';
}

/** Costs one question where nothing happens after the load event. */
async function settleByDefault(
  page: Page,
  traffic: Traffic,
  remainingMs: () => number,
): Promise<PageState | 'busy' | 'deadline'> {
  const startedAt = performance.now();
  let end = startedAt + Math.min(settleCapMs, remainingMs());
  const leftMs = (): number => Math.max(0, end - performance.now());
  let before: PageState | null = null;
  /** The number of the document whose refresh was waited for: once, it may be stopped or hang. */
  let awaited = -1;
  for (;;) {
    const seen = traffic.documents.length;
    const isEarly = performance.now() < startedAt + timersCapMs;
    const [state, timers] = await Promise.all([
      readState(page, remainingMs()),
      readAllTimers(page, isEarly, leftMs()),
    ]);
    if (state === null) return 'deadline';
    const timersMs = Math.min(timers.shortMs, startedAt + timersCapMs - performance.now());
    // Of a page that shows next to nothing, all of its content or its way on may be due then.
    const awaitedMs = state.isShell ? Math.max(timersMs, timers.allMs) : timersMs;
    const isSame = before !== null && !hasGrown(before, state);
    before = state;
    const refreshMs = awaited === seen ? null : refreshesInMs(state, traffic);
    if (refreshMs !== null) {
      awaited = seen;
      // What comes then has the time of a page that was asked for.
      const settledAt = performance.now() + Math.min(refreshMs + settleCapMs, remainingMs());
      end = Math.max(end, settledAt);
      await waitForNavigation(traffic, seen, Math.min(leftMs(), refreshMs + 500));
    } else if (traffic.inFlight === 0 && awaitedMs <= 0 && !state.isLoading) {
      if (isSame || (!state.isShell && !state.isApp)) return state;
    }
    await waitForNavigation(
      traffic,
      seen,
      Math.min(leftMs(), Math.max(timersMs, Math.min(awaitedMs, pollMs))),
    );
    const quiet = await traffic.becomesQuiet(state.isShell ? shellQuietMs : quietMs, leftMs());
    if (remainingMs() <= 0) return 'deadline';
    const isOver = leftMs() === 0;
    if (!quiet || (isOver && traffic.inFlight > 0)) return 'busy';
    // What only changes its text, as a clock does, is ready all the same.
    if (isOver) return (await readState(page, remainingMs())) ?? 'deadline';
    if (traffic.documents.length !== seen) {
      before = null;
      // It has its own time to settle, but none is given for ever to what leads on and on.
      const settledAt = Math.min(performance.now(), startedAt + settleCapMs) + settleCapMs;
      end = Math.max(end, Math.min(settledAt, performance.now() + remainingMs()));
    }
  }
}

/** Milliseconds until what the page and the frames of its own that are seen have set their timers for has happened. */
async function readAllTimers(page: Page, isEarly: boolean, withinMs: number): Promise<TimersLeft> {
  const read = await Promise.all([
    orAfter(readOwnTimers(page), Math.min(withinMs, timersCapMs), noTimers),
    ...(isEarly ? page.frames().slice(1, maxFrames) : []).map((frame) =>
      orAfter(readFrameTimers(page, frame), Math.min(withinMs, frameAnswersWithinMs), noTimers),
    ),
  ]);
  return {
    shortMs: Math.max(...read.map(({ shortMs }) => shortMs)) + timerTurnMs,
    allMs: Math.max(...read.map(({ allMs }) => allMs)) + timerTurnMs,
  };
}

async function readOwnTimers(page: Page): Promise<TimersLeft> {
  const left = await readTimers(page).catch(() => noTimers);
  return left ?? { ...noTimers, shortMs: timersCapMs };
}

/** What other sites show in a frame, players and chats, has timers without end. */
async function readFrameTimers(page: Page, frame: Frame): Promise<TimersLeft> {
  try {
    if (!isOwnFrame(page, frame)) return noTimers;
    for (let shown: Frame | null = frame; shown?.parentFrame(); shown = shown.parentFrame())
      if (!(await showsFrame(shown))) return noTimers;
    return { ...noTimers, shortMs: (await readTimers(frame))?.shortMs ?? noTimers.shortMs };
  } catch {
    // It is gone.
    return noTimers;
  }
}

function isOwnFrame(page: Page, frame: Frame): boolean {
  const url = frame.url();
  return url.startsWith('about:') || URL.parse(url)?.origin === URL.parse(page.url())?.origin;
}

function hasGrown(before: PageState, state: PageState): boolean {
  const { elements, textLength } = state;
  return elements !== before.elements || Math.abs(textLength - before.textLength) > clockCharacters;
}

/** Milliseconds until the page leads elsewhere by itself; to itself, as long as a page settles anyway. */
function refreshesInMs({ refreshes, baseUrl }: PageState, traffic: Traffic): number | null {
  const response = traffic.documentResponse;
  const header = response?.headers()['refresh'];
  const contents = [...(header === undefined ? [] : [header]), ...refreshes];
  const resolve = (target: string) => resolveTarget(target, baseUrl);
  const refresh = soonestRefresh(contents.map((content) => readRefresh(content, resolve)));
  if (refresh === null) return null;
  const afterMs = refresh.seconds * 1_000;
  return refresh.url === response?.url() && afterMs >= settleCapMs ? null : afterMs;
}

async function waitForNavigation(traffic: Traffic, seen: number, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (traffic.documents.length === seen && performance.now() < end) await sleep(20);
}

/** A page as far as it got is none without what was asked for. @throws AppError `selector_not_found` */
export async function requireElement(page: Page, selector: string): Promise<void> {
  const isThere = isolatedWorldOf(page).evaluate((text) => document.querySelector(text) !== null, selector);
  // A page that does not answer is told apart later.
  if (await orAfter(isThere, answersWithinMs, true)) return;
  throw new AppError('selector_not_found', `No element matched "${selector}" before the deadline.`);
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
    if ((await readState(page, answersWithinMs)) === null) throw unresponsive();
    throw new AppError('selector_not_found', `No element matched "${selector}" before the deadline.`);
  }
}
