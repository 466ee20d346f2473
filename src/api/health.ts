import type { Redis } from 'ioredis';
import { sql } from 'kysely';
import type { Db } from '../shared/db/client.ts';
import { countQueuedByQueue, type QueueCounts } from '../shared/jobs/find-jobs.ts';
import type { QueueName } from '../shared/operation.ts';
import { writeProbe } from '../shared/redis.ts';
import { countWorkers, readSandbox } from '../shared/jobs/worker-registry.ts';
import { isStorageDown } from '../shared/jobs/storage-alarm.ts';

export interface QueueHealth {
  workers: number;
  waiting: number;
  active: number;
}

export interface HealthReport {
  status: 'ok' | 'degraded' | 'down';
  postgres: 'ok' | 'down';
  redis: 'ok' | 'down';
  /** Whether workers can store results. */
  storage: 'ok' | 'down';
  queues: Partial<Record<QueueName, QueueHealth>> | null;
  /** Of the Chromiums that run; null where none does, or nobody can be asked. */
  browserSandbox: 'on' | 'off' | null;
}

export interface Health {
  report(): Promise<HealthReport>;
  /** Up to a second old. */
  queueCounts(): Promise<Map<string, QueueCounts>>;
  /**
   * Ready once Postgres, Redis and a worker of each queue have been seen, be it a while ago: what is away later is away
   * for all processes alike, and they answer in words. Up to a second old.
   */
  readiness(): Promise<HealthReport & { ready: boolean }>;
}

const probeMs = 2_000;
/** For whoever asks again meanwhile: readiness is told without a key. */
const answerForMs = 1_000;

function oncePerSecond<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    if (answer === undefined || performance.now() - askedAt >= answerForMs) {
      askedAt = performance.now();
      answer = ask();
    }
    return answer;
  };
}

async function answers(probe: Promise<unknown>): Promise<boolean> {
  const timeout = new Promise<false>((resolve) => setTimeout(resolve, probeMs, false).unref());
  return await Promise.race([
    probe.then(
      () => true,
      () => false,
    ),
    timeout,
  ]);
}

/** `queues`: those that an operation of the catalog uses. */
export function createHealth(db: Db, redis: Redis, queues: readonly QueueName[]): Health {
  const seen = new Set<QueueName>();
  let isReady = false;
  const queueCounts = oncePerSecond(() => countQueuedByQueue(db));
  const recentReport = oncePerSecond(report);

  async function reportQueues(): Promise<Partial<Record<QueueName, QueueHealth>>> {
    const counts = await queueCounts();
    const entries = await Promise.all(
      queues.map(async (queue) => {
        const { waiting = 0, active = 0 } = counts.get(queue) ?? {};
        return [queue, { workers: await countWorkers(redis, queue), waiting, active }] as const;
      }),
    );
    return Object.fromEntries(entries);
  }

  async function report(): Promise<HealthReport> {
    const [postgresOk, redisOk] = await Promise.all([
      answers(sql`select 1`.execute(db)),
      answers(writeProbe(redis)),
    ]);
    const up = postgresOk && redisOk;
    const queueHealth = up ? await reportQueues().catch(() => null) : null;
    const storageDown = up && (await isStorageDown(redis).catch(() => false));
    const allServed = queueHealth !== null && Object.values(queueHealth).every((queue) => queue.workers > 0);
    return {
      status: !up || queueHealth === null ? 'down' : allServed && !storageDown ? 'ok' : 'degraded',
      postgres: postgresOk ? 'ok' : 'down',
      redis: redisOk ? 'ok' : 'down',
      storage: up && !storageDown ? 'ok' : 'down',
      queues: queueHealth,
      browserSandbox: up ? await readSandbox(redis).catch(() => null) : null,
    };
  }

  return {
    report,
    queueCounts,
    async readiness() {
      const now = await recentReport();
      for (const queue of queues) if (now.queues?.[queue]?.workers) seen.add(queue);
      isReady ||= seen.size === queues.length && now.status !== 'down';
      return { ready: isReady, ...now };
    },
  };
}
