import { sql } from 'kysely';
import type { Db } from './client.ts';

export interface CachedCopy {
  copy: Buffer;
  ageMs: number;
}

export async function findCachedCopy(db: Db, key: Buffer, maxAgeMs: number): Promise<CachedCopy | undefined> {
  return await db
    .selectFrom('page_cache')
    .select(['copy', sql<number>`(extract(epoch from now() - stored_at) * 1000)::float8`.as('ageMs')])
    .where('key', '=', key)
    .where('stored_at', '>=', sql<Date>`now() - ${maxAgeMs} * interval '1 millisecond'`)
    .executeTakeFirst();
}

/** A newer copy replaces the older one. */
export async function keepCopy(db: Db, key: Buffer, copy: Buffer): Promise<void> {
  await sql`-- prepared: keep-copy
    insert into page_cache (key, copy, size_bytes) select ${key}, ${copy}, ${copy.length}
    -- A copy that a crash of Postgres forgets is made again: its commit need not wait for the disk.
    where (select set_config('synchronous_commit', 'off', true)) = 'off'
    on conflict (key) do update set copy = excluded.copy, size_bytes = excluded.size_bytes, stored_at = now()`.execute(
    db,
  );
}

/** Deletes copies older than `maxAgeMs`, then the oldest until all together fit in `maxBytes`. */
export async function sweepCopies(db: Db, bounds: { maxAgeMs: number; maxBytes: number }): Promise<number> {
  const { rows } = await sql<{ key: Buffer }>`
    with kept as (
      select key, stored_at, sum(size_bytes) over (order by stored_at desc, key) as total from page_cache
    )
    delete from page_cache using kept
    where page_cache.key = kept.key
      and (kept.total > ${bounds.maxBytes}
        or kept.stored_at < now() - ${bounds.maxAgeMs} * interval '1 millisecond')
    returning page_cache.key
  `.execute(db);
  return rows.length;
}
