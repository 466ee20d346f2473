import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Db } from '../../shared/db/client.ts';
import { deleteVisitsOfEndedJobs, listVisits, recordVisits } from '../../shared/db/crawl-visits.ts';
import { type Checkpoint, type NamedVisit, openCheckpoint, type VisitStore } from './checkpoint.ts';
import { createHostSlots, type HostSlots } from './host-slots.ts';
import { createRedisPresence } from './redis-presence.ts';
import { listSeen } from './seen-links.ts';

/** What crawls of all workers share: their checkpoints, the slots at hosts, the link index. */
export interface CrawlStores extends AsyncDisposable {
  /** @param isPublic what the crawl sees goes into the link index too. */
  openCheckpoint(crawlId: string, isPublic: boolean): Promise<Checkpoint>;
  openHostSlots(crawlId: string, signal: AbortSignal): HostSlots;
}

const sweepEveryMs = 60_000;

export function createCrawlStores(options: {
  db: Db;
  redis: Redis;
  log: Logger;
  /** Requests to one host at a time, by all crawls together. */
  perHost: number;
  /** False: nothing that crawls see goes into the link index. */
  feedsLinkIndex: boolean;
}): CrawlStores {
  const { db, redis, log, perHost, feedsLinkIndex } = options;
  const presence = createRedisPresence(redis);
  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const storeOf = (crawlId: string, isPublic: boolean): VisitStore => ({
    async load() {
      const batches = await listVisits(db, crawlId);
      return batches.flatMap((batch) => JSON.parse(batch) as NamedVisit[]);
    },
    async save(visits) {
      const seen = listSeen(isPublic && feedsLinkIndex ? visits.map(([, visit]) => visit) : []);
      await recordVisits(db, crawlId, { ...seen, visits: JSON.stringify(visits) });
    },
  });
  const timer = setInterval(
    () => void deleteVisitsOfEndedJobs(db).catch(warn('visits of ended crawls')),
    sweepEveryMs,
  );
  return {
    openCheckpoint: (crawlId, isPublic) =>
      openCheckpoint(storeOf(crawlId, isPublic), warn('visits of a crawl were not stored')),
    openHostSlots: (crawlId, signal) => createHostSlots({ presence, crawlId, perHost, signal }),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}
