import type { EgressLease } from '../../shared/egress/types.ts';
import type { JobContext } from '../handler.ts';
import { type AskedPage, pageHeadersOf } from '../page/fetch-page.ts';
import type { HttpTools } from '../tools/http.ts';
import type { CrawlParts, CrawlPlan, LinksMap } from './crawl-plan.ts';
import { mapLinks } from './map-links.ts';
import { visitPolitely } from './polite-visit.ts';
import { readRobots, type OriginRules } from './robots.ts';
import { readSitemaps } from './sitemaps.ts';

export interface CrawlRequest extends AskedPage {
  plan: CrawlPlan;
  /** Of one page. */
  timeoutMs: number;
  verifyTls: boolean;
  /** False: nothing that it sees goes into the link index. */
  store: boolean;
}

/** Of the job's time: to assemble and store the answer. */
const finishMs = 10_000;
const byteBudget = 4 * 1024 ** 3;
const progressEveryMs = 500;
const sideFileTimeoutMs = 20_000;
const longestTimerMs = 2 ** 31 - 1;

/** Aborts while there is still time to answer with what is known. */
function openTimeLimit(job: JobContext): { over: AbortSignal } & Disposable {
  const over = new AbortController();
  const leftMs = Math.min(Math.max(job.deadlineAt - finishMs - Date.now(), 1_000), longestTimerMs);
  const timer = setTimeout(() => over.abort(new Error('The time of the crawl is over')), leftMs);
  return { over: over.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

function createProgress(job: JobContext): CrawlParts['onProgress'] {
  let toldAt = 0;
  return (done, known, note) => {
    if (Date.now() - toldAt < progressEveryMs) return;
    toldAt = Date.now();
    // The next one tells more.
    job.progress(done, known, note).catch(() => undefined);
  };
}

/** Maps a site within the job's time. After a crash the rerun goes on from the visits that were stored. */
export async function crawlSite(request: CrawlRequest, job: JobContext, tools: HttpTools): Promise<LinksMap> {
  const { plan, timeoutMs } = request;
  using limit = openTimeLimit(job);
  const signal = AbortSignal.any([job.signal, limit.over]);
  await using lease = tools.openLease({ signal, verifyTls: request.verifyTls, byteBudget });
  await using slots = tools.crawls.openHostSlots(job.jobId, signal);
  const { headers, originHeaders } = pageHeadersOf(request);
  // What only this client's session shows is not for the index of all.
  const isPublic = request.store && Object.keys(originHeaders).length === 0;
  await using checkpoint = await tools.crawls.openCheckpoint(job.jobId, isPublic);

  const rules = new Map<string, OriginRules>();
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
    delayOf: (of: string) => (plan.respectRobots ? (rules.get(of)?.delayMs ?? 0) : 0),
  };
  const paced: Pick<EgressLease, 'fetch'> = {
    fetch(file) {
      const { host, origin: of } = new URL(file.url);
      return slots.take(host, crawl.delayOf(of), () => lease.fetch(file));
    },
  };
  return await mapLinks(plan, {
    visit: (page) => visitPolitely(crawl, page),
    async robots(of) {
      const read = await readRobots(lease, of, sideFiles);
      rules.set(of, read);
      if (read.isUnreadable && plan.respectRobots) {
        const message = `${of}/robots.txt could not be read: the server broke off, hung or answered 5xx. Nothing else of it was asked for, as RFC 9309 wants; \`respectRobots: false\` goes on regardless.`;
        job.warn('robots_unreadable', message);
      }
      return read;
    },
    sitemaps: (starts) =>
      job.step('sitemaps', () =>
        readSitemaps(
          { ...sideFiles, lease: paced, tasks: tools.tasks, owner: job.userId },
          starts,
          2 * plan.limit,
        ),
      ),
    isOver: () => limit.over.aborted,
    onProgress: createProgress(job),
  });
}
