import { setTimeout as sleep } from 'node:timers/promises';

import type { Page } from 'puppeteer-core';

import { AppError } from '../../../shared/errors.ts';
import { orAfter, withDeadline } from '../../browser/deadline.ts';
import { isolatedWorldOf } from '../../browser/isolated-world.ts';
import { longestTitle } from '../html/title.ts';

export interface PageState {
  title: string;
  /** Of the document, without frames and shadow trees. */
  elements: number;
  isLoading: boolean;
  /** Has next to no text. */
  showsLittle: boolean;
  /** Shows little and has scripts: its content is probably still to be fetched. */
  isShell: boolean;
  /** Runs as an app, which may begin to fetch its data only after it is shown. */
  isApp: boolean;
  /** Characters of text, scripts included. */
  textLength: number;
  /** What its meta refreshes say, as far as they tell when it leads on. */
  refreshes: string[];
  /** What its links are relative to. */
  baseUrl: string;
}

/** Characters; when a page leads on stands at the beginning of its refresh. */
const longest = { title: longestTitle, refresh: 8_192 };

/** How long a page may take to answer a simple question, once it is calmed, before it counts as blocked. */
const calmMs = 700;
const promptMs = 150;
/** For a question at the end of a page's time. */
const leastMs = 200;

/** Null when the page does not answer in `timeoutMs`. */
export async function readState(page: Page, timeoutMs: number): Promise<PageState | null> {
  return orAfter(askRepeatedly(page), Math.max(timeoutMs, leastMs), null);
}

/**
 * Waits until the page is as it is awaited; `capMs` at most.
 * @returns the last state; null when the page does not answer in that time.
 */
export async function awaitState(
  page: Page,
  isAwaited: (state: PageState) => boolean,
  capMs: number,
): Promise<PageState | null> {
  const end = performance.now() + capMs;
  for (;;) {
    const state = await readState(page, end - performance.now());
    if (state === null || isAwaited(state) || performance.now() >= end) return state;
    await sleep(25);
  }
}

/** Whether the page has a moment for a question: one that parses or lays out a huge document has none. */
export async function answersAtOnce(page: Page): Promise<boolean> {
  const asked = isolatedWorldOf(page)
    .evaluate(() => true)
    .catch(() => true);
  return orAfter(asked, promptMs, false);
}

/**
 * Stops a page that has had its time: no more scripts, no more loading, so that it can be read as it is.
 * Takes `leftMs` and a second at most.
 * @throws AppError `page_unresponsive` when its script never ends.
 */
export async function calm(page: Page, leftMs: number): Promise<PageState> {
  return withDeadline(stopAndRead(page), Math.max(0, leftMs) + calmMs, unresponsive);
}

async function stopAndRead(page: Page): Promise<PageState> {
  const session = await page.createCDPSession();
  // Not awaited: a blocked page answers nothing, and reading it says so.
  session.send('Emulation.setScriptExecutionDisabled', { value: true }).catch(() => {});
  session.send('Page.stopLoading').catch(() => {});
  return askRepeatedly(page);
}

export function unresponsive(): AppError {
  return new AppError(
    'page_unresponsive',
    'The page kept its browser too busy to be read: its script runs without end, or its document is too large.',
  );
}

async function askRepeatedly(page: Page): Promise<PageState> {
  for (;;) {
    const state = await ask(page);
    if (state) return state;
    await sleep(20);
  }
}

/** Null when the page went elsewhere before it could answer. */
async function ask(page: Page): Promise<PageState | null> {
  try {
    return await isolatedWorldOf(page).evaluate((most) => {
      const elements = document.getElementsByTagName('*').length;
      const showsLittle = elements < 300 && (document.body?.innerText ?? '').trim().length < 200;
      const refreshes = document.querySelectorAll('meta[http-equiv="refresh" i]');
      const appMarks = 'script[type="module"],#root,#app,#__next,#__nuxt,#svelte,[data-v-app],[ng-version]';
      return {
        elements,
        isApp: document.querySelector(appMarks) !== null,
        title: document.title.slice(0, most.title),
        isLoading: document.readyState === 'loading',
        showsLittle,
        isShell: showsLittle && document.scripts.length > 0,
        textLength: document.documentElement?.textContent?.length ?? 0,
        refreshes: Array.from(refreshes, (meta) =>
          (meta.getAttribute('content') ?? '').slice(0, most.refresh),
        ).slice(0, 10),
        baseUrl: document.baseURI.slice(0, most.refresh),
      };
    }, longest);
  } catch (error) {
    if (/context was destroyed|Cannot find context|context with specified id/i.test(String(error)))
      return null;
    throw error;
  }
}
