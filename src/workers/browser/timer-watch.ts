import { randomBytes } from 'node:crypto';

import type { Frame, Page } from 'puppeteer-core';

/** By which a page's own timers tell when the last of them is due; no page can guess it. */
const key = randomBytes(12).toString('hex');

/** Longer ones are not for content that a reader of a page with content waits for. Milliseconds. */
export const longestTimerMs = 1_000;
/** Longer ones nobody waits for. Milliseconds. */
const longestOfAnyMs = 5_000;

/** Has the timers of each document of the page watched, from before its first script on. */
export async function watchTimers(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(watchInPage, key, longestTimerMs, longestOfAnyMs);
}

/** Milliseconds until the last timer is due that a document has set so far; 0 or less where none is. */
export interface TimersLeft {
  /** Of those that are no longer than `longestTimerMs`, and what is soon to come of workers and connections. */
  shortMs: number;
  /**
   * Of those up to 5,000 ms; of the longer ones, of those that have not been cleared. Of a chain of short ones, as an
   * animation has without end, the first few.
   */
  allMs: number;
}

/** Null where the document has put timers of its own in their place. */
export async function readTimers(document: Pick<Frame, 'evaluate'>): Promise<TimersLeft | null> {
  return await document.evaluate((name) => {
    const read = (setTimeout as unknown as Record<string, unknown>)[name];
    return typeof read === 'function' ? (read() as TimersLeft) : null;
  }, key);
}

/** In the page's own world, where its timers are: a proxy looks like the function behind it. */
function watchInPage(name: string, longestMs: number, longestOfAllMs: number): void {
  const now = performance.now.bind(performance);
  const { apply, construct, get } = Reflect;
  const listen = EventTarget.prototype.addEventListener;
  // A browser that has nothing else to do gets to what comes next within a few frames.
  const soonMs = 60;
  const begunAt = now();
  let dueAt = 0;
  let open = 0;
  let stepsLeft = 5;
  let stepDueAt = 0;
  /** When the longer timers are due, by their numbers; those of a page that sets more of them are no content. */
  const longDueAt = new Map<unknown, number>();
  const mostLong = 100;
  const readLeft = (): TimersLeft => ({
    shortMs: Math.max(dueAt, open > 0 ? now() + soonMs : 0) - now(),
    allMs: Math.max(stepDueAt, ...longDueAt.values()) - now(),
  });
  /**
   * Waits for what a busy browser comes to late, not for the time that it should take: the first few only, since an
   * animation asks without end. To be called before the page's own request, so that a request within it is waited for.
   */
  const waitFor = (request: (done: () => void) => unknown): (() => void) => {
    let left = 5;
    let isOpen = false;
    return () => {
      if (isOpen || left <= 0) return;
      left--;
      open++;
      isOpen = true;
      request(() => {
        open--;
        isOpen = false;
      });
    };
  };
  const nextFrame = window.requestAnimationFrame.bind(window);
  const waitForFrame = waitFor(nextFrame);
  // What a frame finds out is reported behind it, so before the next one.
  const waitBehindFrame = waitFor((done) => nextFrame(() => nextFrame(done)));
  const waitForIdle = waitFor(window.requestIdleCallback.bind(window));
  /** @param msOf of what a call asks for; longer ones do not count. */
  const watch = <F extends object>(native: F, msOf: (values: unknown[]) => unknown, before?: () => void): F =>
    new Proxy(native, {
      apply(target, self, values: unknown[]) {
        before?.();
        const asked = msOf(values);
        const ms = typeof asked === 'number' || typeof asked === 'string' ? Number(asked) : 0;
        if (!(ms > longestMs)) {
          dueAt = Math.max(dueAt, now() + Math.max(0, ms || 0));
          if (now() - begunAt < longestMs || stepsLeft-- > 0) stepDueAt = dueAt;
        }
        const made = apply(target as never, self, values) as unknown;
        if (ms > longestMs && ms <= longestOfAllMs && longDueAt.size < mostLong)
          longDueAt.set(made, now() + ms);
        return made;
      },
      get: (target, property, receiver) =>
        property === name ? readLeft : (get(target, property, receiver) as unknown),
    });
  window.setTimeout = watch(window.setTimeout, ([, ms]) => ms);
  // What comes again may bring something at any of its times.
  window.setInterval = watch(window.setInterval, ([, ms]) => (Number(ms) > longestMs ? Infinity : longestMs));
  const watchClear = <F extends object>(native: F): F =>
    new Proxy(native, {
      apply(target, self, values: unknown[]) {
        longDueAt.delete(values[0]);
        return apply(target as never, self, values) as unknown;
      },
    });
  window.clearTimeout = watchClear(window.clearTimeout);
  window.clearInterval = watchClear(window.clearInterval);
  // Waited for itself alone: one after another, they would never be over.
  window.requestAnimationFrame = watch(window.requestAnimationFrame, () => Infinity, waitForFrame);
  window.requestIdleCallback = watch(window.requestIdleCallback, () => soonMs, waitForIdle);
  const observer = IntersectionObserver.prototype;
  observer.observe = watch(observer.observe, () => soonMs, waitBehindFrame);
  const pages = Document.prototype;
  const { then } = Promise.prototype;
  pages.startViewTransition = new Proxy(pages.startViewTransition, {
    apply(target, self: Document, values: unknown[]) {
      const transition = apply(target, self, values) as ViewTransition;
      open++;
      const done = (): void => {
        open--;
        dueAt = Math.max(dueAt, now() + soonMs);
      };
      void apply(then, transition.updateCallbackDone, [done, done]);
      return transition;
    },
  });
  const tasks = Scheduler.prototype;
  tasks.postTask = watch(
    tasks.postTask,
    ([, options]) => (options as { delay?: unknown } | undefined)?.delay,
  );
  /** Of what answers when it will: a worker, a connection. */
  interface Wait {
    /** It is told something. */
    tell(): void;
    answer(): void;
    end(): void;
  }
  const waits = new WeakMap<object, Wait>();
  /** At first, and whenever it is told something, one answer is waited for: the first few only, as frames are. */
  const waitForAnswers = (): Wait => {
    let left = 5;
    let isOpen = false;
    let isTold = false;
    const end = (): void => {
      if (isOpen) open--;
      isOpen = isTold = false;
    };
    const tell = (): void => {
      if (isOpen) isTold = true;
      if (isOpen || left <= 0) return;
      left--;
      open++;
      isOpen = true;
    };
    const answer = (): void => {
      // What follows at once belongs to it.
      dueAt = Math.max(dueAt, now() + soonMs);
      // It may be a greeting, that answers nothing of what it was told.
      const isGreeting = isTold && left > 0;
      end();
      if (isGreeting) tell();
    };
    tell();
    return { tell, answer, end };
  };
  const watchAnswers = (made: 'Worker' | 'WebSocket' | 'EventSource'): void => {
    const watched = new Proxy<new (address: string) => EventTarget>(window[made], {
      construct(target, values: unknown[], as) {
        const source = construct(target, values, as) as EventTarget;
        const wait = waitForAnswers();
        waits.set(source, wait);
        apply(listen, source, ['message', wait.answer]);
        for (const event of ['error', 'close']) apply(listen, source, [event, wait.end]);
        return source;
      },
    });
    watched.prototype.constructor = watched;
    Object.assign(window, { [made]: watched });
  };
  watchAnswers('Worker');
  watchAnswers('WebSocket');
  watchAnswers('EventSource');
  const watchCall = <F extends object>(native: F, act: 'tell' | 'end'): F =>
    new Proxy(native, {
      apply(target, self: object, values: unknown[]) {
        waits.get(self)?.[act]();
        return apply(target as never, self, values) as unknown;
      },
    });
  Worker.prototype.postMessage = watchCall(Worker.prototype.postMessage, 'tell');
  Worker.prototype.terminate = watchCall(Worker.prototype.terminate, 'end');
  WebSocket.prototype.send = watchCall(WebSocket.prototype.send, 'tell');
  WebSocket.prototype.close = watchCall(WebSocket.prototype.close, 'end');
  EventSource.prototype.close = watchCall(EventSource.prototype.close, 'end');
  // A server names its events as it likes: those count that the page listens to.
  Object.defineProperty(EventSource.prototype, 'addEventListener', {
    configurable: true,
    writable: true,
    value: new Proxy(listen, {
      apply(_target, self: object, values: unknown[]) {
        const wait = waits.get(self);
        const [event] = values;
        if (wait !== undefined && typeof event === 'string' && !/^(open|message|error)$/.test(event))
          apply(listen, self, [event, wait.answer]);
        // The page's own, by now.
        return apply(EventTarget.prototype.addEventListener, self, values as never) as unknown;
      },
    }),
  });
  // Until the request for another document is told, nothing else tells of it.
  navigation.addEventListener('navigate', ({ destination, downloadRequest }) => {
    if (!destination.sameDocument && downloadRequest === null) dueAt = Math.max(dueAt, now() + 2 * soonMs);
  });
}
