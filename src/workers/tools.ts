import type { EgressLease, EgressLeaseOptions } from '../shared/egress/types.ts';
import type { Chromium } from './browser/chromium.ts';
import type { PageReader } from './page/read-page.ts';

/** What handlers work with; made by `deps.ts`. */
export interface WorkerTools {
  /** The job's way out. Dispose of it when the job's work is done. */
  openLease(options: EgressLeaseOptions): EgressLease;
  readonly pageReader: PageReader;
  /** @throws Error in a process that does not serve the browser queue. */
  chromium(): Chromium;
}
