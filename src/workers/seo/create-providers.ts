import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Db } from '../../shared/db/client.ts';
import { deleteOldSeoAnswers, findSeoAnswer, keepSeoAnswer } from '../../shared/db/seo-answers.ts';
import type { EgressLease, EgressLeaseOptions } from '../../shared/egress/types.ts';
import type { Provenance } from '../../shared/schemas/job.ts';
import type { SeoEndpoint, SeoProviderName, SeoProviders, SuggestUrl } from '../../shared/seo-settings.ts';
import { createHostSlots } from '../crawl/host-slots.ts';
import { createRedisPresence } from '../crawl/redis-presence.ts';
import { createDataForSeoClient, type DataForSeoAccount } from './dataforseo-client.ts';
import { readVendorBacklinks, readVendorTraffic } from './dataforseo-domains.ts';
import { readVendorDifficulty, readVendorIdeas } from './dataforseo-keywords.ts';
import { readOpenBacklinks } from './open-backlinks.ts';
import { scoreDifficulty } from './open-difficulty.ts';
import { suggestKeywordIdeas } from './open-keyword-ideas.ts';
import { readOpenTraffic } from './open-traffic.ts';
import type { SeoProvider, SeoRun } from './provider.ts';
import { createRedisCooldowns } from './redis-cooldowns.ts';
import { baseUrlOf } from './suggest.ts';
import { type Ask, createAsk, type KeptAnswers } from './upstream.ts';

export interface SeoOptions {
  db: Db;
  redis: Redis;
  log: Logger;
  openLease(options: EgressLeaseOptions): EgressLease;
  providers: SeoProviders;
  suggestUrls: readonly SuggestUrl[];
  searxngUrl: URL | undefined;
  /** Null: none. */
  dataForSeo: DataForSeoAccount | null;
}

/** What is needed of a job. */
interface AskingJob extends Pick<SeoRun, 'jobId' | 'signal' | 'deadlineAt' | 'warn'> {
  tellProvenance(told: Provenance): void;
}

export interface SeoProvidersByEndpoint extends AsyncDisposable {
  /**
   * Lets the provider that answers the endpoint work for a job, and tells the job's sources.
   * @param language of what is asked; English where it does not matter.
   */
  answer<Answer>(
    endpoint: SeoEndpoint,
    job: AskingJob,
    language: string,
    work: (provider: SeoProvider, run: SeoRun) => Promise<Answer>,
  ): Promise<Answer>;
}

/** Requests to one service at a time, by all workers together. */
const perHost = 4;
const sweepEveryMs = 3_600_000;

/** Hosts that a job may reach: those that the operator has named, and no other. */
function hostsOf({ suggestUrls, searxngUrl, dataForSeo }: SeoOptions, language: string): string[] {
  const suggest = suggestUrls.map(({ template }) => new URL(baseUrlOf(template, language)));
  return [...suggest, searxngUrl, dataForSeo?.url].flatMap((url) => url?.host ?? []);
}

function createOpenProvider({ db, suggestUrls, searxngUrl }: SeoOptions, ask: Ask): SeoProvider {
  return {
    backlinks: (query, run) => readOpenBacklinks(db, query, run),
    traffic: (query, run) => readOpenTraffic(db, query, run),
    keywordIdeas: (query, run) => suggestKeywordIdeas(suggestUrls, query, ask, run),
    keywordDifficulty: (query, run) => scoreDifficulty(db, searxngUrl, query, ask, run),
  };
}

function createVendorProvider({ dataForSeo }: SeoOptions, ask: Ask): SeoProvider {
  const clientOf = (run: SeoRun) => {
    if (dataForSeo === null) throw new Error('The configuration refuses a vendor without an account');
    return createDataForSeoClient(dataForSeo, ask, run);
  };
  return {
    backlinks: (query, run) => readVendorBacklinks(clientOf(run), query),
    traffic: (query, run) => readVendorTraffic(clientOf(run), query),
    keywordIdeas: (query, run) => readVendorIdeas(clientOf(run), query),
    keywordDifficulty: (query, run) => readVendorDifficulty(clientOf(run), query),
  };
}

const makers: Record<SeoProviderName, typeof createOpenProvider> = {
  open: createOpenProvider,
  dataforseo: createVendorProvider,
};

export function createSeoProviders(options: SeoOptions): SeoProvidersByEndpoint {
  const { db, redis, log } = options;
  const presence = createRedisPresence(redis);
  const cooldowns = createRedisCooldowns(redis);
  const kept: KeptAnswers = {
    find: (key) => findSeoAnswer(db, key),
    keep: (key, answer) => keepSeoAnswer(db, key, answer),
  };
  const onLost = (error: unknown) => log.warn({ err: error }, 'an answer for SEO figures was not kept');
  const timer = setInterval(
    () => void deleteOldSeoAnswers(db).catch((error: unknown) => log.warn({ err: error }, 'old answers')),
    sweepEveryMs,
  );
  return {
    async answer(endpoint, job, language, work) {
      const { jobId, signal } = job;
      await using lease = options.openLease({ signal, hosts: hostsOf(options, language) });
      await using slots = createHostSlots({ presence, crawlId: jobId, perHost, signal });
      const { ask } = createAsk({ lease, slots, kept, cooldowns, signal, onLost });
      const sources = new Map<string, string>();
      let costUsd = 0;
      const answer = await work(makers[options.providers[endpoint]](options, ask), {
        jobId,
        signal,
        deadlineAt: job.deadlineAt,
        warn: (code, message) => job.warn(code, message),
        tellSource: (name, asOf) => void sources.set(name, asOf),
        tellCost: (usd) => void (costUsd += usd),
      });
      job.tellProvenance({
        sources: [...sources].map(([name, asOf]) => ({ name, asOf })),
        cost: costUsd > 0 ? { amount: Math.round(costUsd * 1e6) / 1e6, currency: 'USD' } : null,
      });
      return answer;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}
