import type { Logger } from 'pino';
import type { Db } from '../db/client.ts';
import { cancelJob } from './transitions/cancel.ts';
import { keptForMs } from './kept-for.ts';
import { withdrawJobs } from './transitions/accept.ts';
import type { Announcer } from './announcer.ts';

/** Takes rows back that nobody was promised: deletes them, or cancels what has begun to run. */
export interface Withdrawal extends AsyncDisposable {
  /** Of a row that is there. */
  withdraw(id: string): Promise<void>;
  /**
   * Of a row whose insert Postgres has not answered: it may have happened, or happen when Postgres goes on, which
   * then executes what stood in its socket.
   */
  withdrawOnceInserted(id: string): void;
}

export interface WithdrawalOptions {
  db: Db;
  announcer: Announcer;
  log: Logger;
  /** How long the record of a canceled job is kept. */
  resultTtlMs: number;
  retryEveryMs?: number;
}

/** Tries that Postgres answers: what it was sent before has happened long before the last of them, or never will. */
const mostTries = 10;
/** A Postgres that comes back later than this runs what it was sent. So does one that outlives this process. */
const retryForMs = 10 * 60_000;

export function createWithdrawal(options: WithdrawalOptions): Withdrawal {
  const { db, announcer, log, resultTtlMs, retryEveryMs = 1_000 } = options;

  /** @returns which of them are done with. */
  async function withdrawAll(ids: readonly string[]): Promise<string[]> {
    const { withdrawn, begun } = await withdrawJobs(db, ids);
    announcer.changed(withdrawn);
    for (const { id, input } of begun) {
      const { canceled } = await cancelJob(db, id, keptForMs({ input }, resultTtlMs));
      // Whoever runs it finds out when it reads the row next.
      announcer.canceled(canceled);
    }
    return [...withdrawn, ...begun].map(({ id }) => id);
  }

  const awaited = new Map<string, { tries: number; until: number }>();
  let retrying: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function retry(): Promise<void> {
    const ids = [...awaited.keys()];
    // Postgres is away: the next try asks again.
    const done = await withdrawAll(ids).catch(() => null);
    for (const id of done ?? []) awaited.delete(id);
    for (const id of ids) {
      const one = awaited.get(id);
      if (one === undefined) continue;
      if (done !== null) one.tries += 1;
      if (one.tries < mostTries && performance.now() < one.until) continue;
      awaited.delete(id);
      if (done === null) log.warn({ jobId: id }, 'a job that was not promised may run: Postgres stays away');
    }
  }

  function planRetry(): void {
    if (timer !== undefined || stopped || awaited.size === 0) return;
    timer = setTimeout(() => {
      retrying = retry().finally(() => {
        timer = undefined;
        planRetry();
      });
    }, retryEveryMs);
  }

  function withdrawOnceInserted(id: string): void {
    awaited.set(id, { tries: 0, until: performance.now() + retryForMs });
    planRetry();
  }

  return {
    withdrawOnceInserted,
    async withdraw(id) {
      await withdrawAll([id]).catch(() => withdrawOnceInserted(id));
    },
    async [Symbol.asyncDispose]() {
      stopped = true;
      clearTimeout(timer);
      await retrying;
    },
  };
}
