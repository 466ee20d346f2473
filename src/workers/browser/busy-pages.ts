import { letSessionWait, yieldProcessor } from '../../shared/processes/priority.ts';
import { readProcessorTime } from '../../shared/processes/process-tree.ts';
import type { BrowserInstance } from './browser-instance.ts';

/** A page that has used the processors for longer is busy. */
const freeProcessorMs = 1_000;
/** Chromium gives way for so long after the last busy page. */
const calmAfterMs = 10_000;

/**
 * Lets a busy page wait, for good, for the others of its Chromium; and while there is one, every Chromium of the worker, its
 * successor too, for other sessions of the machine, those of the processes that answer requests. Not always: pictures would
 * be slow wherever other programs of the machine have work.
 */
export interface BusyPages {
  /** @param renderers its processes that run pages */
  check(instance: BrowserInstance, renderers: readonly { pid: number }[]): void;
}

export function createBusyPages(): BusyPages {
  let busyAt = Number.NEGATIVE_INFINITY;
  return {
    check(instance, renderers) {
      const now = performance.now();
      for (const { pid } of renderers) {
        if ((readProcessorTime(pid) ?? 0) <= freeProcessorMs) continue;
        yieldProcessor(pid);
        busyAt = now;
      }
      const givesWay = now - busyAt < calmAfterMs;
      if (givesWay === instance.givesWay) return;
      // Where Linux puts it off, the next check tries again.
      if (letSessionWait(instance.chromium.pid, givesWay)) instance.givesWay = givesWay;
    },
  };
}
