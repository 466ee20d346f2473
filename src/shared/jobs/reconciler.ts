import type { Redis } from 'ioredis';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Db } from '../db/client.ts';
import {
  findOverdueParents,
  recoverLostLeases,
  takeQuietRows,
  timeOutParent,
} from './transitions/recover.ts';
import { listUsersInLine, takeTurns } from './turns.ts';
import { startDatabasePulse } from './database-pulse.ts';
import type { Doorbell } from './doorbell.ts';
import type { Announcer } from './announcer.ts';
import { redisPrefix } from '../redis.ts';

const lockKey = 7_251_001;
const epochKey = `${redisPrefix}:epoch`;
/** A ring this old may have been lost: long enough for a worker to have claimed, short against a client's wait. */
const quietMs = 2_500;
const sweepRows = 500;
/** Well within the time after which Postgres ends a transaction that does nothing. */
const lockBeatMs = 2_000;

export interface ReconcilerOptions {
  db: Db;
  /** Where a connection that falls silent is closed soon. Default: `db`. */
  pulseDb?: Db;
  redis: Redis;
  doorbell: Doorbell;
  announcer: Announcer;
  log: Logger;
  leaseMs: number;
  /** How long the record of a job that is ended here is kept. */
  resultTtlMs: number;
  intervalMs?: number;
}

/**
 * Brings rows and rings together again: after a lost ring, a dead worker, a wiped Redis. Runs in every
 * process; a Postgres lock lets one work at a time.
 */
export function startReconciler(options: ReconcilerOptions): AsyncDisposable {
  const { db, redis, doorbell, announcer, log, leaseMs, resultTtlMs, intervalMs = 1_000 } = options;
  const pulse = startDatabasePulse(options.pulseDb ?? db, leaseMs);

  async function ringAllAfterWipe(): Promise<void> {
    if ((await redis.exists(epochKey)) === 1) return;
    await doorbell.restoreSettings();
    const start = performance.now();
    let rung = 0;
    for (;;) {
      const rows = await takeQuietRows(db, performance.now() - start, sweepRows);
      await doorbell.ringMissing(rows);
      rung += rows.length;
      if (rows.length < sweepRows) break;
    }
    await redis.set(epochKey, new Date().toISOString());
    if (rung > 0) log.warn({ rung }, 'Redis had lost its data: all queued jobs were rung again');
  }

  async function recoverWorkerless(): Promise<void> {
    const { toRing, changed, ended } = await recoverLostLeases(db, {
      leaseMs,
      ttlMs: resultTtlMs,
      isSteady: pulse.isSteady,
    });
    if (changed.length > 0) {
      log.warn({ rerun: changed.length - ended.length, givenUp: ended.length }, 'jobs whose worker was lost');
    }
    announcer.changed(changed);
    announcer.ended(ended);
    for (const id of await findOverdueParents(db)) {
      const { canceled, parent } = await timeOutParent(db, id, resultTtlMs);
      announcer.canceled(canceled);
      if (parent !== null) toRing.push(parent);
    }
    await doorbell.ring(toRing);
  }

  async function pass(): Promise<void> {
    await recoverWorkerless();
    await ringAllAfterWipe();
    await doorbell.ringMissing(await takeQuietRows(db, quietMs, sweepRows));
    await doorbell.ring(await takeTurns(db, await listUsersInLine(db, sweepRows)));
  }

  async function passUnderLock(): Promise<void> {
    await db.transaction().execute(async (trx) => {
      const { rows } = await sql<{
        got: boolean;
      }>`select pg_try_advisory_xact_lock(${lockKey}) as got`.execute(trx);
      if (!rows[0]?.got) return;
      // The lock of a process that hangs must not hang too: its transaction falls silent, and Postgres ends it.
      const beat = setInterval(() => void sql`select 1`.execute(trx).catch(() => undefined), lockBeatMs);
      await pass().finally(() => clearInterval(beat));
    });
  }

  let running: Promise<void> = Promise.resolve();
  let idle = true;
  const timer = setInterval(() => {
    if (!idle) return;
    idle = false;
    running = passUnderLock()
      // Postgres or Redis is away: the next pass tries again.
      .catch((error: unknown) => log.warn({ err: error }, 'a reconciler pass failed'))
      .finally(() => {
        idle = true;
      });
  }, intervalMs);

  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
      pulse[Symbol.dispose]();
    },
  };
}
