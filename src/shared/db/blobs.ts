import { type RawBuilder, sql } from 'kysely';
import type { Blob } from '../blobs/blob.ts';
import type { Db } from './client.ts';

/** A statement for a CTE: inserts the blobs where `condition`, another CTE, has a row. */
export function insertBlobsFor(condition: string, blobs: readonly Blob[]): RawBuilder<never> {
  if (blobs.length === 0) return sql`(select where false)`;
  const rows = blobs.map(
    ({ id, contentType, bytes, sha256 }) =>
      sql`(${id}::uuid, ${contentType}::text, ${bytes.length}::int, ${sha256}::bytea, ${bytes}::bytea)`,
  );
  return sql`(
    insert into blobs (id, content_type, size_bytes, sha256, bytes)
    select * from (values ${sql.join(rows)}) as new where exists (select from ${sql.ref(condition)})
  )`;
}

export async function findBlob(db: Db, id: string): Promise<Blob | undefined> {
  const row = await db
    .selectFrom('blobs')
    .select(['id', 'content_type', 'sha256', 'bytes'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { id: row.id, contentType: row.content_type, bytes: row.bytes, sha256: row.sha256 };
}
