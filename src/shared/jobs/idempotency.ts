import { sql } from 'kysely';
import { batchLoad } from '../batch-load.ts';
import type { Db } from '../db/client.ts';
import type { JobRow } from '../db/tables.ts';
import { AppError } from '../errors.ts';
import { liveStatuses } from './find-jobs.ts';

/** Then a key is free again. */
export const idempotencyHours = 24;

/** A request as a job's row knows it. */
export interface HashedRequest {
  hash: Buffer;
  /** Where its end is to be told; null: nowhere. */
  webhookUrl: string | null;
}

interface KeyedJob extends Pick<JobRow, 'id' | 'request_hash' | 'status' | 'webhook'> {
  /** Its key is free again. */
  stale: boolean;
}

/** By `<user> <idempotency key>`. */
async function findJobsOfKeys(db: Db, names: readonly string[]): Promise<Map<string, KeyedJob>> {
  const users = names.map((name) => name.slice(0, name.indexOf(' ')));
  const keys = names.map((name) => name.slice(name.indexOf(' ') + 1));
  const { rows } = await sql<KeyedJob & { n: number }>`
    select asked.n::int, found.*
    from unnest(${users}::uuid[], ${keys}::text[]) with ordinality as asked(user_id, key, n)
    cross join lateral (
      select id, request_hash, status, webhook, created_at < now() - ${idempotencyHours} * interval '1 hour' as stale
      from jobs where user_id = asked.user_id and idempotency_key = asked.key limit 1
    ) as found`.execute(db);
  return new Map(rows.map(({ n, ...job }) => [names[n - 1] ?? '', job]));
}

/** By `<user> <operation> <hash of the input in hexadecimal>`. */
async function findIdenticalLiveJobs(db: Db, names: readonly string[]): Promise<Map<string, EarlierJob>> {
  const [users, operations, hashes] = [0, 1, 2].map((n) => names.map((name) => name.split(' ')[n]));
  const { rows } = await sql<EarlierJob & { n: number }>`
    select asked.n::int, found.id
    from unnest(${users}::uuid[], ${operations}::text[], ${hashes}::text[]) with ordinality
      as asked(user_id, operation, hash, n)
    cross join lateral (
      select id from jobs
      where user_id = asked.user_id and status in (${sql.join(liveStatuses)})
        and operation = asked.operation and input_hash = decode(asked.hash, 'hex') and parent_id is null
      order by id limit 1
    ) as found`.execute(db);
  return new Map(rows.map(({ n, id }) => [names[n - 1] ?? '', { id }]));
}

export type EarlierJob = Pick<JobRow, 'id'>;

export interface EarlierJobs {
  /**
   * The job that an idempotency key of the user stands for; a key is free again after 24 h.
   * @throws AppError `idempotency_mismatch` where that is a job of another request, or one that has not ended and is told
   *   elsewhere.
   */
  findIdempotent(userId: string, key: string, request: HashedRequest): Promise<EarlierJob | undefined>;
  /** The user's own live job of the same operation and input. */
  findIdentical(userId: string, operation: string, inputHash: Buffer): Promise<EarlierJob | undefined>;
}

/** Those that are looked up together share a query: they cost no use, and may be thousands. */
export function createEarlierJobs(db: Db): EarlierJobs {
  const findOfKey = batchLoad((names) => findJobsOfKeys(db, names));
  const findLive = batchLoad((names) => findIdenticalLiveJobs(db, names));
  return {
    async findIdempotent(userId, key, request) {
      const earlier = await findOfKey(`${userId} ${key}`);
      if (earlier?.stale !== true) return answering(earlier, request);
      await db
        .updateTable('jobs')
        .set({ idempotency_key: null, request_hash: null })
        .where('id', '=', earlier.id)
        .execute();
      return undefined;
    },
    findIdentical: (userId, operation, inputHash) =>
      findLive(`${userId} ${operation} ${inputHash.toString('hex')}`),
  };
}

function answering(earlier: KeyedJob | undefined, request: HashedRequest): EarlierJob | undefined {
  if (earlier === undefined) return undefined;
  if (earlier.request_hash?.equals(request.hash) !== true) {
    throw new AppError(
      'idempotency_mismatch',
      'This Idempotency-Key was used for another request in the last 24 hours. Use a new key for a new request.',
    );
  }
  const isLive = liveStatuses.some((status) => status === earlier.status);
  if (isLive && request.webhookUrl !== null && request.webhookUrl !== earlier.webhook?.url) {
    throw new AppError(
      'idempotency_mismatch',
      'The job of this Idempotency-Key has not ended, and was asked for with another X-Webhook-Url or none. Use a new key, or leave X-Webhook-Url out.',
    );
  }
  return earlier;
}
