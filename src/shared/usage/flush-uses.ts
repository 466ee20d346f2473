import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type Db, inTransaction } from '../db/client.ts';
import { lockUsageCursor, recordUsage, type UsageIncrement } from '../db/key-usage.ts';
import { usageStream } from './allowance.ts';

const batch = 1_000;

function toIncrement(id: string, fields: readonly string[]): UsageIncrement {
  const value = (name: string) => fields[fields.indexOf(name) + 1] ?? '';
  return {
    keyId: value('k'),
    userId: value('u'),
    allowanceId: value('a'),
    operation: value('o'),
    // A use that is given back leaves the minute in which it was taken.
    at: Number(fields.includes('t') ? value('t') : id.split('-')[0]),
    count: Number(value('n')),
  };
}

/** One batch from the Redis stream into Postgres. @returns how many entries were moved. */
async function flushBatch(redis: Redis, db: Db): Promise<number> {
  return await inTransaction(db, async (trx) => {
    const cursor = await lockUsageCursor(trx);
    if (cursor === undefined) return 0;
    const entries = await redis.xrange(usageStream, `(${cursor}`, '+', 'COUNT', batch);
    const last = entries.at(-1)?.[0];
    if (last === undefined) return 0;
    await recordUsage(
      trx,
      entries.map(([id, fields]) => toIncrement(id, fields)),
      last,
    );
    return entries.length;
  });
}

export interface UsageFlushOptions {
  redis: Redis;
  db: Db;
  log: Logger;
  intervalMs?: number;
}

/**
 * Moves the usage stream into Postgres, exactly once: the cursor is committed together with the counts, and
 * only then is the stream trimmed. Every API process runs it; one at a time works.
 */
export function startUsageFlush({ redis, db, log, intervalMs = 500 }: UsageFlushOptions): AsyncDisposable {
  let idle = true;
  let running: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    if ((await redis.xlen(usageStream)) === 0) return;
    while ((await flushBatch(redis, db)) === batch);
    const { stream_id } = await db.selectFrom('usage_cursor').select('stream_id').executeTakeFirstOrThrow();
    const [milliseconds, sequence] = stream_id.split('-');
    await redis.xtrim(usageStream, 'MINID', `${milliseconds}-${Number(sequence) + 1}`);
  }

  const run = () => {
    if (!idle) return running;
    idle = false;
    running = flush()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the usage stream could not be flushed to Postgres; it is tried again'),
      )
      .finally(() => {
        idle = true;
      });
    return running;
  };
  const timer = setInterval(() => void run(), intervalMs);

  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
      await run();
    },
  };
}
