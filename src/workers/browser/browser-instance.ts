import type { SparePage } from './blank-page.ts';
import type { LaunchedChromium } from './launched-chromium.ts';

/** One Chromium and the jobs in it. A retired one takes no new job and is ended after its last. */
export interface BrowserInstance {
  readonly chromium: LaunchedChromium;
  readonly sparePage: SparePage;
  readonly heartbeat: Disposable;
  jobs: number;
  active: number;
  retired: boolean;
  /** The process that was last ended for its memory, `at` on the clock of `performance.now()`. */
  endedForMemory: { pid: number; at: number; isHeard: boolean } | null;
  /** Whether it waits for other sessions of the machine. */
  givesWay: boolean;
}
