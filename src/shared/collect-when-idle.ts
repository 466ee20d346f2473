import { collectGarbage } from './garbage.ts';

const checkEveryMs = 5_000;
/** Of a processor, between two checks. Timers, renewals and a request now and then take less. */
const idleShare = 0.05;
const idleChecks = 2;
/** So many times the last collection's own: a large heap, which takes longer, is collected less often. */
const workPerCollection = 20;
const firstCollectionMs = 100;

/**
 * To be called every so many milliseconds: once a process that has worked is idle, its garbage is collected, once.
 * @param cpuMs what it has used of the processors since it started.
 */
export function createIdleWatch(cpuMs: () => number, collect: () => void, everyMs: number): () => void {
  let seenMs = cpuMs();
  let collectionMs = firstCollectionMs;
  let workMs = 0;
  let idleInARow = 0;
  return () => {
    const usedMs = cpuMs() - seenMs;
    seenMs += usedMs;
    const isIdle = usedMs <= everyMs * idleShare;
    idleInARow = isIdle ? idleInARow + 1 : 0;
    if (!isIdle) workMs += usedMs;
    if (idleInARow < idleChecks || workMs < collectionMs * workPerCollection) return;
    collect();
    collectionMs = cpuMs() - seenMs;
    seenMs += collectionMs;
    workMs = 0;
  };
}

/**
 * After a burst V8 shrinks its heap by itself, but keeps buffers that nobody uses any more, which lie outside of it, and
 * the pages of its young generation. They are given back while nobody waits: with 50 MB in use that takes 150 ms.
 */
export function collectWhenIdle(): Disposable {
  const cpuMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const collect = () => collectGarbage({ type: 'major', flavor: 'last-resort' });
  const timer = setInterval(createIdleWatch(cpuMs, collect, checkEveryMs), checkEveryMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
