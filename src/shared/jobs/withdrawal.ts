import type { Logger } from 'pino';
import type { Db } from '../db/client.ts';
import { cancelJob } from './transitions/cancel.ts';
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
  lookEveryMs?: number;
}

/** Of looks that Postgres answers: what it was sent before has happened long before the last of them, or never will. */
const looksAtMost = 10;
/** A Postgres that comes back later than this runs what it was sent. So does one that outlives this process. */
const lookForMs = 10 * 60_000;

export function createWithdrawal(options: WithdrawalOptions): Withdrawal {
  const { db, announcer, log, resultTtlMs, lookEveryMs = 1_000 } = options;

  /** @returns which of them are done with. */
  async function withdrawAll(ids: readonly string[]): Promise<string[]> {
    const { withdrawn, begun } = await withdrawJobs(db, ids);
    announcer.changed(withdrawn);
    for (const id of begun) {
      const { canceled } = await cancelJob(db, id, resultTtlMs);
      // Whoever runs it finds out by its next look at the row.
      announcer.canceled(canceled);
    }
    return [...withdrawn.map(({ id }) => id), ...begun];
  }

  const awaited = new Map<string, { looks: number; until: number }>();
  let looking: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function look(): Promise<void> {
    const ids = [...awaited.keys()];
    // Postgres is away: the next look asks again.
    const done = await withdrawAll(ids).catch(() => null);
    for (const id of done ?? []) awaited.delete(id);
    for (const id of ids) {
      const one = awaited.get(id);
      if (one === undefined) continue;
      if (done !== null) one.looks += 1;
      if (one.looks < looksAtMost && performance.now() < one.until) continue;
      awaited.delete(id);
      if (done === null) log.warn({ jobId: id }, 'a job that was not promised may run: Postgres stays away');
    }
  }

  function planLook(): void {
    if (timer !== undefined || stopped || awaited.size === 0) return;
    timer = setTimeout(() => {
      looking = look().finally(() => {
        timer = undefined;
        planLook();
      });
    }, lookEveryMs);
  }

  function withdrawOnceInserted(id: string): void {
    awaited.set(id, { looks: 0, until: performance.now() + lookForMs });
    planLook();
  }

  return {
    withdrawOnceInserted,
    async withdraw(id) {
      await withdrawAll([id]).catch(() => withdrawOnceInserted(id));
    },
    async [Symbol.asyncDispose]() {
      stopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}
