import { randomBytes } from 'node:crypto';

import type { Page } from 'puppeteer-core';

/** By which a page's own timers tell when the last of them is due; no page can guess it. */
const key = randomBytes(12).toString('hex');

/** Longer ones are not for content that a reader waits for. Milliseconds. */
export const longestTimerMs = 1_000;

/** Has the timers of each document of the page watched, from before its first script on. */
export async function watchTimers(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(watchInPage, key, longestTimerMs);
}

/**
 * Milliseconds until the last timer is due that the page has set so far, of those that are no longer than
 * `longestTimerMs`; 0 or less where none is. Null where the page has put timers of its own in their place.
 */
export async function readTimers(page: Page): Promise<number | null> {
  return await page.mainFrame().evaluate((name) => {
    const dueAt = (setTimeout as unknown as Record<string, unknown>)[name];
    return typeof dueAt === 'number' ? dueAt - performance.now() : null;
  }, key);
}

/** In the page's own world, where its timers are: a proxy looks like the function behind it. */
function watchInPage(name: string, longestMs: number): void {
  const now = performance.now.bind(performance);
  const { apply, get } = Reflect;
  let dueAt = 0;
  /** What comes again may bring something at any of its times. */
  const watch = <F extends object>(native: F, isRepeated: boolean): F =>
    new Proxy(native, {
      apply(target, self, values: unknown[]) {
        const delay = values[1];
        const ms = typeof delay === 'number' || typeof delay === 'string' ? Number(delay) : 0;
        if (!(ms > longestMs))
          dueAt = Math.max(dueAt, now() + (isRepeated ? longestMs : Math.max(0, ms || 0)));
        return apply(target as never, self, values) as unknown;
      },
      get: (target, property, receiver) =>
        property === name ? dueAt : (get(target, property, receiver) as unknown),
    });
  window.setTimeout = watch(window.setTimeout, false);
  window.setInterval = watch(window.setInterval, true);
}
