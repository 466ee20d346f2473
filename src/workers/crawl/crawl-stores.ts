import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Db } from '../../shared/db/client.ts';
import { deleteVisitsOfEndedJobs, listVisits, recordVisits } from '../../shared/db/crawl-visits.ts';
import { type Checkpoint, type NamedVisit, openCheckpoint, type VisitStore } from './checkpoint.ts';
import { createCrawlMemories, type CrawlMemory } from './crawl-memory.ts';
import { createHostSlots, type HostSlots } from './host-slots.ts';
import { createRedisPresence } from './redis-presence.ts';
import { knownAddress, type Seen, seePage } from '../link-index/seen-links.ts';
import type { Visit } from './visit.ts';

/**
 * Which of a crawl's pages the link index is told of: none; those that name their own address; those too that anybody
 * finds, because links lead to them from a site's front page.
 */
export type ToldPages = 'none' | 'named' | 'found';

/** What crawls of all workers share: their checkpoints, the slots at hosts, the link index. */
export interface CrawlStores extends AsyncDisposable {
  openCheckpoint(crawlId: string, tells: ToldPages, memory: CrawlMemory): Promise<Checkpoint>;
  openMemory(): CrawlMemory;
  openHostSlots(crawlId: string, signal: AbortSignal): HostSlots;
}

const sweepEveryMs = 60_000;
/** Of one crawl that the link index takes. */
const indexedLinks = 200_000;

/** Pages that anybody may know of, as the link index wants to know them. */
function seeVisit(visit: Visit, tells: ToldPages): Seen[] {
  const { at, title, status, redirect, isPrivate, canonical, follows } = visit;
  if (tells === 'none' || status === null || redirect !== null || isPrivate === true) return [];
  // A query may hold what is one visitor's, wherever it was found.
  const found = tells === 'found' && !at.includes('?') ? at : null;
  const url = knownAddress(at, canonical) ?? found;
  if (url === null) return [];
  const links = visit.links.map(([to, anchor, rel, image]) => ({
    url: to,
    anchor,
    rel,
    image: image === true,
  }));
  return [seePage({ url, title, status, follows, links }) ?? []].flat();
}

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
  function storeOf(crawlId: string, tells: ToldPages): VisitStore {
    let linksLeft = indexedLinks;
    return {
      async *load() {
        for await (const batch of listVisits(db, crawlId)) yield JSON.parse(batch) as NamedVisit[];
      },
      async save(visits, json) {
        const seen = feedsLinkIndex ? visits.flatMap((visit) => seeVisit(visit, tells)) : [];
        const links = seen.flatMap((one) => one.links).slice(0, linksLeft);
        linksLeft -= links.length;
        await recordVisits(db, crawlId, { pages: seen.map(({ page }) => page), links, visits: json });
      },
    };
  }
  const timer = setInterval(
    () => void deleteVisitsOfEndedJobs(db).catch(warn('visits of ended crawls')),
    sweepEveryMs,
  );
  return {
    openCheckpoint: (crawlId, tells, memory) =>
      openCheckpoint(
        storeOf(crawlId, tells),
        (visit) => memory.keep(visit),
        warn('visits of a crawl were not stored'),
      ),
    openMemory: createCrawlMemories(),
    openHostSlots: (crawlId, signal) => createHostSlots({ presence, crawlId, perHost, signal }),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}
