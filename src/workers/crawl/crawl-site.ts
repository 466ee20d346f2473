import type { EgressLease, EgressLeaseOptions } from '../../shared/egress/types.ts';
import type { TaskPool } from '../../shared/tasks/task.ts';
import type { JobContext } from '../handler.ts';
import { pageHeadersOf } from '../page/fetch/fetch-page.ts';
import type { AskedPage } from '../page/page-request.ts';
import type { PageReader } from '../page/page-reader.ts';
import type { CrawlParts, CrawlPlan, LinksMap } from './crawl-plan.ts';
import type { CrawlStores } from './crawl-stores.ts';
import { mapLinks } from './map-links.ts';
import { visitPolitely } from './polite-visit.ts';
import { readRobots } from './robots.ts';
import { readSitemaps } from './sitemaps.ts';

export interface CrawlRequest extends AskedPage {
  plan: CrawlPlan;
  /** Of one page. */
  timeoutMs: number;
  verifyTls: boolean;
  /** False: nothing that it sees goes into the link index. */
  store: boolean;
}

/** What of a worker's tools crawls. */
export interface CrawlTools {
  openLease(options: EgressLeaseOptions): EgressLease;
  readonly tasks: TaskPool;
  readonly pageReader: PageReader;
  readonly crawls: CrawlStores;
}

/** Of the job's time: to assemble and store the answer. */
const finishMs = 10_000;
const byteBudget = 4 * 1024 ** 3;
const progressEveryMs = 500;
const sideFileTimeoutMs = 20_000;
/** A host that does not tell what it allows within this time is not asked for more. */
const robotsTimeoutMs = 10_000;
/** Hosts that a warning names. */
const namedHosts = 5;
const longestTimerMs = 2 ** 31 - 1;
/** Of the time that is left when they are asked for: the pages are to have the most of it. */
const sitemapsShare = 1 / 3;

/** While there is still time to answer with what is known. */
const leftMsOf = (job: JobContext): number => Math.max(job.deadlineAt - finishMs - performance.now(), 1_000);

function openTimeLimit(ms: number): { over: AbortSignal } & Disposable {
  const over = new AbortController();
  const timer = setTimeout(
    () => over.abort(new Error('The time of the crawl is over')),
    Math.min(ms, longestTimerMs),
  );
  return { over: over.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

function createProgress(job: JobContext): CrawlParts['onProgress'] {
  let toldAt = -Infinity;
  return (done, known, note) => {
    if (performance.now() - toldAt < progressEveryMs) return;
    toldAt = performance.now();
    // The next one tells more.
    job.progress(done, known, note).catch(() => undefined);
  };
}

/** Hosts whose robots.txt did not let itself be read: one warning tells of all. */
function createUnreadable(): { add(origin: string): void; warn(job: JobContext): void } {
  const named: string[] = [];
  let count = 0;
  return {
    add(origin) {
      count++;
      if (named.length < namedHosts && !named.includes(origin)) named.push(origin);
    },
    warn(job) {
      if (count === 0) return;
      const files = named.map((origin) => `${origin}/robots.txt`).join(', ');
      const further = count > named.length ? ` and ${count - named.length} more` : '';
      const message = `${files}${further} could not be read: the server broke off, hung, or answered 429 or 5xx, or the file takes too much time or memory to be read. Nothing else of it was asked for, as RFC 9309 wants; \`respectRobots: false\` goes on regardless.`;
      job.warn('robots_unreadable', message);
    },
  };
}

function isFrontPage(text: string): boolean {
  const url = URL.parse(text);
  return url?.pathname === '/' && url.search === '';
}

function warnOfMissing(job: JobContext, sitemaps: readonly string[]): void {
  if (sitemaps.length === 0) return;
  const further = sitemaps.length > namedHosts ? ` and ${sitemaps.length - namedHosts} more` : '';
  job.warn(
    'sitemaps_unreadable',
    `${sitemaps.slice(0, namedHosts).join(', ')}${further} could not be read as a sitemap; pages that only they name are not in the map.`,
  );
}

/** Maps a site within the job's time. After a crash the rerun goes on from the visits that were stored. */
export async function crawlSite(
  request: CrawlRequest,
  job: JobContext,
  tools: CrawlTools,
): Promise<LinksMap> {
  const { plan, timeoutMs } = request;
  using limit = openTimeLimit(leftMsOf(job));
  const signal = AbortSignal.any([job.signal, limit.over]);
  await using lease = tools.openLease({ signal, verifyTls: request.verifyTls, byteBudget });
  await using slots = tools.crawls.openHostSlots(job.jobId, signal);
  const { headers, originHeaders } = pageHeadersOf(request);
  // What only this client's session shows is not for the index of all.
  const isPublic = request.store && Object.keys(originHeaders).length === 0;
  const tells = !isPublic ? 'none' : isFrontPage(plan.root) ? 'found' : 'named';
  using memory = tools.crawls.openMemory();
  await using checkpoint = await tools.crawls.openCheckpoint(job.jobId, tells, memory);

  const delays = new Map<string, number>();
  const unreadable = createUnreadable();
  const sideFiles = { headers, timeoutMs: sideFileTimeoutMs, signal };
  const origin = URL.parse(plan.root)?.origin ?? '';
  const crawl = {
    visitor: {
      lease,
      pageReader: tools.pageReader,
      headers,
      origin,
      originHeaders,
      timeoutMs,
      owner: job.userId,
      signal,
    },
    slots,
    checkpoint,
    memory,
    delayOf: (of: string) => (plan.respectRobots ? (delays.get(of) ?? 0) : 0),
  };
  const paced: Pick<EgressLease, 'fetch'> = {
    fetch(file) {
      const { host, origin: of } = new URL(file.url);
      return slots.take(host, crawl.delayOf(of), () => lease.fetch(file), file.signal);
    },
  };
  const reading = { lease: paced, tasks: tools.tasks, owner: job.userId };
  const map = await mapLinks(plan, {
    visit: (page, mayAsk) => visitPolitely(crawl, page, mayAsk),
    async robots(of) {
      const read = await readRobots(reading, of, { ...sideFiles, timeoutMs: robotsTimeoutMs });
      if (read.delayMs > 0) delays.set(of, read.delayMs);
      if (read.isUnreadable && plan.respectRobots) unreadable.add(of);
      return read;
    },
    async sitemaps(named, guessed, wants) {
      using share = openTimeLimit(leftMsOf(job) * sitemapsShare);
      const over = AbortSignal.any([limit.over, share.over]);
      const reader = { ...sideFiles, ...reading, signal: job.signal, over };
      const wanted = { maxUrls: 2 * plan.limit, wants };
      return await job.step('sitemaps', () => readSitemaps(reader, named, guessed, wanted));
    },
    onMissingSitemaps: (urls) => warnOfMissing(job, urls),
    isOver: () => limit.over.aborted,
    onProgress: createProgress(job),
  });
  unreadable.warn(job);
  return map;
}
