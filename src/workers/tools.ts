import type { renderPage } from '../shared/contracts/page/render.ts';
import type { EgressLease, EgressLeaseOptions } from '../shared/egress/types.ts';
import type { OutputOf } from '../shared/operation.ts';
import type { Chromium } from './browser/chromium.ts';
import type { CrawlStores } from './crawl/crawl-stores.ts';
import type { PageCopies, PageCopy } from './page/page-copy.ts';
import type { PageReader } from './page/read-page.ts';
import type { SharedLoads } from './page/shared-loads.ts';
import type { TaskPool } from './tasks/task.ts';

/** What handlers work with; made by `deps.ts`. */
export interface WorkerTools {
  /** The job's way out. Dispose of it when the job's work is done. */
  openLease(options: EgressLeaseOptions): EgressLease;
  /** For parsing and matching of foreign data at length. */
  readonly tasks: TaskPool;
  readonly pageReader: PageReader;
  readonly crawls: CrawlStores;
  readonly pageCopies: PageCopies;
  readonly pageLoads: SharedLoads<PageCopy>;
  readonly renders: SharedLoads<OutputOf<typeof renderPage>>;
  /** @throws Error in a process that does not serve the browser queue. */
  chromium(): Chromium;
}
