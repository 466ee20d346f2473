import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Db } from '../../shared/db/client.ts';
import { deleteVisitsOfEndedJobs, insertVisits, listVisits } from '../../shared/db/crawl-visits.ts';
import { recordSeen } from '../../shared/db/link-index.ts';
import { type Checkpoint, openCheckpoint, type VisitStore } from './checkpoint.ts';
import { createHostTurns, type HostTurns } from './host-turns.ts';
import { createRedisPresence } from './redis-presence.ts';
import { listSeen } from './seen-links.ts';
import type { Visit } from './visit.ts';

/** What crawls of all workers share: their checkpoints, the turns at hosts, the link index. */
export interface CrawlStores extends AsyncDisposable {
  openCheckpoint(crawlId: string): Promise<Checkpoint>;
  openTurns(crawlId: string, signal: AbortSignal): HostTurns;
  /** Adds pages and links to the index; a failure is logged, for a map is right without it. */
  recordSeen(visits: readonly Visit[]): Promise<void>;
}

const sweepEveryMs = 60_000;

export function createCrawlStores(options: {
  db: Db;
  redis: Redis;
  log: Logger;
  /** Requests to one host at a time, by all crawls together. */
  perHost: number;
}): CrawlStores {
  const { db, redis, log, perHost } = options;
  const presence = createRedisPresence(redis);
  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const store: VisitStore = {
    async load(crawlId) {
      const rows = await listVisits(db, crawlId);
      return new Map(rows.map(({ url, visit }) => [url, JSON.parse(visit) as Visit]));
    },
    save: (crawlId, visits) =>
      insertVisits(
        db,
        crawlId,
        visits.map(([url, visit]) => ({ url, visit: JSON.stringify(visit) })),
      ),
  };
  const timer = setInterval(
    () => void deleteVisitsOfEndedJobs(db).catch(warn('visits of ended crawls')),
    sweepEveryMs,
  );
  return {
    openCheckpoint: (crawlId) => openCheckpoint(store, crawlId, warn('visits of a crawl were not stored')),
    openTurns: (crawlId, signal) => createHostTurns({ presence, crawlId, perHost, signal }),
    async recordSeen(visits) {
      const { pages, links } = listSeen(visits);
      await recordSeen(db, pages, links).catch(warn('the link index'));
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}
