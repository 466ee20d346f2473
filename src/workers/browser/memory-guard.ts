import type { BrowserInstance } from './browser-instance.ts';
import { type BusyPages, createBusyPages } from './busy-pages.ts';
import type { BrowserLog } from './log.ts';

/** A check reads some files of each process; a page takes a gigabyte in a quarter of a second. */
const calmMs = 500;
const alertMs = 100;
/** Of the bound: past it, checks come at shorter intervals. */
const alertShare = 0.25;
/** Of the bound: one page that holds more is at fault itself. */
const faultShare = 0.5;
/** Of the bound: past it, a Chromium that is to end with its last job does not wait for that. */
const lastShare = 1.5;
/** What one without a job may hold for so long, beyond what it held before its first: pages leave some behind. */
const keptBytes = 128 * 1024 ** 2;
const keptMs = 5_000;

export interface MemoryGuardOptions {
  instances: ReadonlySet<BrowserInstance>;
  /** Of one Chromium's whole process tree. */
  limitBytes: number;
  log: BrowserLog;
  /** Has another one started in its place. */
  renew(instance: BrowserInstance, reason: string): void;
  /** Takes no new job, and ends with its last. */
  retire(instance: BrowserInstance, reason: string): void;
  /** Ends at once, with all its jobs. */
  replace(instance: BrowserInstance, reason: string): void;
}

/**
 * Holds each Chromium to its bound. A page past it is ended alone when it is the one at fault; otherwise Chromium
 * is replaced: once its jobs have ended or, where they go on taking memory, at once. So is one that keeps what its jobs
 * have left behind while it has none. Processors: see BusyPages.
 */
export function startMemoryGuard(options: MemoryGuardOptions): Disposable {
  const { instances, limitBytes, renew } = options;
  const kept = new WeakMap<BrowserInstance, KeptMemory>();
  const busyPages = createBusyPages();
  let timer: NodeJS.Timeout;
  function checkKept(instance: BrowserInstance, totalBytes: number): void {
    const now = performance.now();
    const before = kept.get(instance) ?? { atFirst: totalBytes, since: now };
    const atFirst = instance.jobs === 0 ? Math.max(before.atFirst, totalBytes) : before.atFirst;
    const isKept = instance.active === 0 && totalBytes > atFirst + keptBytes;
    const isDue = isKept && now - before.since > keptMs;
    // Where the other one does not start, it is tried again after as long.
    kept.set(instance, { atFirst, since: isKept && !isDue ? before.since : now });
    if (isDue) renew(instance, 'it has kept memory of its jobs');
  }
  const check = (): void => {
    const totals = [...instances].map((instance) => {
      const totalBytes = checkInstance(instance, options, busyPages);
      checkKept(instance, totalBytes);
      return totalBytes;
    });
    const isCalm = Math.max(0, ...totals) < limitBytes * alertShare;
    timer = setTimeout(check, isCalm ? calmMs : alertMs).unref();
  };
  timer = setTimeout(check, calmMs).unref();
  return {
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

interface KeptMemory {
  /** Bytes, before its first job. */
  atFirst: number;
  /** When it was last seen without a job's memory, on the clock of `performance.now()`. */
  since: number;
}

/** @returns the bytes that its process tree holds. */
function checkInstance(
  instance: BrowserInstance,
  { limitBytes, log, retire, replace }: MemoryGuardOptions,
  busyPages: BusyPages,
): number {
  const { totalBytes, renderers } = instance.chromium.readMemory();
  busyPages.check(instance, renderers);
  const [largestRenderer] = renderers;
  if (totalBytes <= limitBytes) return totalBytes;
  if (largestRenderer && largestRenderer.bytes > limitBytes * faultShare) {
    const { pid, bytes: pageBytes } = largestRenderer;
    // A process that is ending still holds its memory for a moment.
    if (instance.endedForMemory?.pid === pid) return totalBytes;
    log.warn({ totalBytes, pageBytes }, 'A page takes too much memory; ended');
    instance.endedForMemory = { pid, at: performance.now(), isHeard: false };
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  } else if (totalBytes > limitBytes * lastShare) replace(instance, 'it holds far too much memory');
  else retire(instance, 'it holds too much memory');
  return totalBytes;
}
