import type { Logger } from 'pino';
import type { Db } from '../db/client.ts';
import { deleteOldEvents } from './events.ts';
import { deleteTombstones, expireChildren, expireResults, forgetKeys } from './transitions/expire.ts';
import { deleteOldAudit } from '../db/audit-log.ts';
import { deleteOldUsage } from '../db/key-usage.ts';
import { deleteOldLinks } from '../db/link-index.ts';
import { deleteEndedSessions } from '../db/sessions.ts';
import { deleteOldTokenUses } from '../db/token-uses.ts';
import { deleteOldDeliveries, deleteOldReceivers } from '../db/webhook-deliveries.ts';
import { deleteRetiredSecrets } from '../db/webhook-secrets.ts';
import { deleteDeadFiles } from '../files/dead-files.ts';
import type { FileStores } from '../files/file-store.ts';

const everyMs = 5 * 60_000;

export interface RetentionOptions {
  db: Db;
  files: FileStores;
  log: Logger;
  /** How long the events of jobs are kept. */
  eventTtlMs: number;
}

/**
 * Deletes what is past its time, in every process and in small pieces: several at it take different rows, and no
 * job waits for it however much there is to delete.
 */
export function startRetention({ db, files, log, eventTtlMs }: RetentionOptions): AsyncDisposable {
  const sweeps = [
    async (it: Db) => (await expireResults(it)) + (await expireChildren(it)),
    forgetKeys,
    deleteTombstones,
    deleteEndedSessions,
    deleteOldDeliveries,
    deleteOldReceivers,
    deleteRetiredSecrets,
    deleteOldAudit,
    deleteOldUsage,
    deleteOldTokenUses,
    deleteOldLinks,
    (it: Db) => deleteDeadFiles(it, files),
    (it: Db) => deleteOldEvents(it, eventTtlMs),
  ];
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();

  async function sweepAll(): Promise<void> {
    for (const sweep of sweeps) {
      try {
        while (!stop.signal.aborted && (await sweep(db)) > 0);
      } catch (error) {
        // Postgres or the store of files is away: the next time is soon enough, and the others have theirs.
        log.warn({ err: error }, 'a retention sweep failed');
      }
    }
  }

  function planNext(afterMs: number): void {
    if (stop.signal.aborted) return;
    timer = setTimeout(() => {
      sweeping = sweepAll().finally(() => planNext(everyMs));
    }, afterMs);
  }
  // Processes that were started together do not sweep together.
  planNext(Math.random() * everyMs);

  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      clearTimeout(timer);
      await sweeping;
    },
  };
}
