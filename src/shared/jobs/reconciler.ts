import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Db } from '../db/client.ts';
import type { QueueName } from '../operation.ts';
import { redisAway } from '../redis.ts';
import {
  findOverdueParents,
  recoverLostLeases,
  type RecoveryOptions,
  takeQuietRows,
  timeOutParent,
} from './transitions/recover.ts';
import { dispatchAgain, endLeasesOf } from './transitions/lease.ts';
import { type Dispatchable, listUsersWithBacklog, takeBacklog } from './backlog.ts';
import { startDatabaseHeartbeat } from './database-heartbeat.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Announcer } from './announcer.ts';

const lockKey = 7_251_001;
/** A dispatch this old may have been lost: long enough for a worker to have claimed, short against a client's wait. */
const quietMs = 2_500;
const sweepRows = 500;
/** Well within the time after which Postgres ends a transaction that does nothing. */
const lockHeartbeatMs = 2_000;
/** Of all commands for one set of rows: one that is never answered must not hold the lock. */
const redisAnswersWithinMs = 15_000;

/** @throws Error after `ms`. What comes later is nobody's. */
async function inTime<T>(what: Promise<T>, ms: number): Promise<T> {
  const answered = new AbortController();
  const late = sleep(ms, undefined, { signal: answered.signal, ref: false }).then(() => {
    throw redisAway('Command timed out');
  });
  return await Promise.race([what, late]).finally(() => answered.abort());
}

export interface ReconcilerOptions {
  db: Db;
  /** Where a connection that falls silent is closed soon. Default: `db`. */
  heartbeatDb?: Db;
  dispatcher: Dispatcher;
  announcer: Announcer;
  log: Logger;
  leaseMs: number;
  /** How long the record of a job that is ended here is kept. */
  resultTtlMs: number;
  intervalMs?: number;
}

export interface Reconciler extends AsyncDisposable {
  /**
   * What a process ran that has died is queued again at once, and what it was told of and had not begun is told again.
   * @param holder named in the tokens of its leases.
   * @param queues those that it served.
   */
  recoverFrom(holder: string, queues: readonly QueueName[]): Promise<void>;
}

/**
 * Brings rows and dispatches together again: after a lost dispatch, a dead worker, a wiped Redis. Runs in every
 * process; a Postgres lock lets one work at a time.
 */
export function startReconciler(options: ReconcilerOptions): Reconciler {
  const { db, dispatcher, announcer, log, leaseMs, resultTtlMs, intervalMs = 1_000 } = options;
  const heartbeat = startDatabaseHeartbeat(options.heartbeatDb ?? db, leaseMs);
  // Postgres or Redis is away: the next pass tries again.
  const warn = (error: unknown) => log.warn({ err: error }, 'a reconciler pass failed');

  const askRedis = async <T>(what: Promise<T>) => await inTime(what, redisAnswersWithinMs);

  async function dispatchAllAfterWipe(): Promise<void> {
    const lost = await askRedis(dispatcher.listLost());
    if (lost.length === 0) return;
    for (const queue of lost) await askRedis(dispatcher.restoreSettings(queue));
    const start = performance.now();
    let dispatched = 0;
    for (;;) {
      const rows = await takeQuietRows(db, performance.now() - start, sweepRows, lost);
      await askRedis(dispatcher.dispatchMissing(rows));
      dispatched += rows.length;
      if (rows.length < sweepRows) break;
    }
    for (const queue of lost) await askRedis(dispatcher.markKnown(queue));
    if (dispatched > 0)
      log.warn(
        { dispatched, queues: lost },
        'Redis had lost its data: all queued jobs were dispatched again',
      );
  }

  async function recoverLost(whose: Pick<RecoveryOptions, 'isSteady' | 'holder'>): Promise<Dispatchable[]> {
    const lost = { leaseMs, ttlMs: resultTtlMs, ...whose };
    const toDispatch: Dispatchable[] = [];
    const counts = { rerun: 0, givenUp: 0 };
    try {
      for await (const { change, ended, toDispatch: rows } of recoverLostLeases(db, lost)) {
        counts[ended === null ? 'rerun' : 'givenUp']++;
        announcer.changed([change]);
        if (ended !== null) announcer.ended([ended]);
        toDispatch.push(...rows);
      }
    } finally {
      if (counts.rerun + counts.givenUp > 0) log.warn(counts, 'jobs whose worker was lost');
    }
    return toDispatch;
  }

  async function recoverWorkerless(): Promise<void> {
    const toDispatch = await recoverLost({ isSteady: heartbeat.isSteady });
    for (const overdue of await findOverdueParents(db)) {
      const { canceled, parent } = await timeOutParent(db, overdue, resultTtlMs);
      announcer.canceled(canceled);
      if (parent !== null) toDispatch.push(parent);
    }
    await askRedis(dispatcher.dispatch(toDispatch));
  }

  async function dispatchQuiet(): Promise<void> {
    await askRedis(dispatcher.dispatchMissing(await takeQuietRows(db, quietMs, sweepRows)));
  }

  async function dispatchBacklog(): Promise<void> {
    await askRedis(dispatcher.dispatch(await takeBacklog(db, await listUsersWithBacklog(db, sweepRows))));
  }

  /**
   * Others' are among them: a row that is told of twice runs once. BullMQ itself would wait until its locks run out.
   * @param told rows that have been told of.
   */
  async function dispatchTaken(queues: readonly QueueName[], told: readonly Dispatchable[]): Promise<void> {
    const known = new Set(told.map(({ id }) => id));
    const taken = await askRedis(dispatcher.listTaken(queues));
    await askRedis(
      dispatcher.dispatch(
        await dispatchAgain(
          db,
          taken.filter((id) => !known.has(id)),
        ),
      ),
    );
  }

  /** What one fails with, a node of Redis that is away, holds up none of the others. */
  async function pass(): Promise<void> {
    for (const step of [recoverWorkerless, dispatchAllAfterWipe, dispatchQuiet, dispatchBacklog])
      if (!isEnding) await step().catch(warn);
  }

  async function passUnderLock(): Promise<void> {
    await db.transaction().execute(async (trx) => {
      const { rows } = await sql<{
        got: boolean;
      }>`select pg_try_advisory_xact_lock(${lockKey}) as got`.execute(trx);
      if (!rows[0]?.got) return;
      // The lock of a process that hangs must not hang too: its transaction falls silent, and Postgres ends it.
      const lockHeartbeat = setInterval(
        () => void sql`select 1`.execute(trx).catch(() => undefined),
        lockHeartbeatMs,
      );
      await pass().finally(() => clearInterval(lockHeartbeat));
    });
  }

  let running: Promise<void> = Promise.resolve();
  let idle = true;
  let isEnding = false;
  const timer = setInterval(() => {
    if (!idle) return;
    idle = false;
    running = passUnderLock()
      .catch(warn)
      .finally(() => {
        idle = true;
      });
  }, intervalMs);

  return {
    async recoverFrom(holder, queues) {
      await endLeasesOf(db, holder);
      const lost = await recoverLost({ isSteady: () => true, holder });
      // Where Redis fails in one, the other is done all the same.
      const parts = await Promise.allSettled([
        askRedis(dispatcher.dispatch(lost)),
        dispatchTaken(queues, lost),
      ]);
      const failed = parts.find((part) => part.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
    async [Symbol.asyncDispose]() {
      isEnding = true;
      clearInterval(timer);
      await running;
      heartbeat[Symbol.dispose]();
    },
  };
}
