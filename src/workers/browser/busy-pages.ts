import { letSessionWait, yieldProcessor } from '../../shared/processes/priority.ts';
import { readProcessorTime } from '../../shared/processes/process-tree.ts';
import type { BrowserInstance } from './browser-instance.ts';

/** A page that has used the processors for longer is busy. */
const freeProcessorMs = 1_000;
/** Chromium gives way for so long after the last busy page. */
const calmAfterMs = 10_000;

/**
 * A busy page waits for the others of its Chromium; each Chromium, while one has such a page, for other sessions of the
 * machine, those of the processes that answer requests. Otherwise it does not: pictures would be slow wherever other
 * programs of the machine have work.
 */
export interface BusyPages {
  /**
   * Lets those of one Chromium wait that should, and the others no longer.
   *
   * @param renderers its processes that run pages
   */
  wait(instance: BrowserInstance, renderers: readonly { pid: number }[]): void;
}

export function createBusyPages(): BusyPages {
  let busyAt = Number.NEGATIVE_INFINITY;
  return {
    wait(instance, renderers) {
      const now = performance.now();
      for (const { pid } of renderers) {
        if ((readProcessorTime(pid) ?? 0) <= freeProcessorMs) continue;
        yieldProcessor(pid);
        busyAt = now;
      }
      const givesWay = now - busyAt < calmAfterMs;
      if (givesWay === instance.givesWay) return;
      // Else the next check tries again.
      if (letSessionWait(instance.chromium.pid, givesWay)) instance.givesWay = givesWay;
    },
  };
}
