import { type RawBuilder, sql } from 'kysely';
import type { Blob } from '../blobs/blob.ts';
import type { Db } from './client.ts';

/** A blob of a prepared statement: makes a value of what is read of it. */
export type BlobValue = (read: (blob: Blob) => unknown) => RawBuilder<unknown>;

/**
 * For a CTE: inserts those of the blobs that `ended`, another CTE, names. An ending whose lease was lost names
 * none, also where the job itself has ended by another in the same statement.
 */
export function insertBlobsOf(ended: string, blobs: readonly BlobValue[]): RawBuilder<never> {
  if (blobs.length === 0) return sql`(select where false)`;
  const rows = blobs.map(
    (valueOf) =>
      sql`(${valueOf(({ id }) => id)}::uuid, ${valueOf(({ contentType }) => contentType)}::text, ${valueOf(({ bytes }) => bytes.length)}::int, ${valueOf(({ sha256 }) => sha256)}::bytea, ${valueOf(({ bytes }) => bytes)}::bytea)`,
  );
  return sql`(
    insert into blobs (id, content_type, size_bytes, sha256, bytes)
    select new.id, content_type, size_bytes, sha256, bytes
    from (values ${sql.join(rows)}) as new (id, content_type, size_bytes, sha256, bytes)
    where id in (select result_blob_id from ${sql.ref(ended)})
  )`;
}

const chunkBytes = 1_048_576;

export class BlobGone extends Error {}

/** A blob in chunks: no statement takes long, and others come between. @throws BlobGone */
export async function* readChunks(db: Db, id: string, sizeBytes: number): AsyncGenerator<Buffer, void, void> {
  for (let first = 1; first <= sizeBytes; first += chunkBytes) {
    // pg gets bytes as text in any case: base64 is two thirds as long as the usual hexadecimal, and read in half the time.
    const { rows } = await sql<{ base64: string }>`
      select encode(substring(bytes from ${first}::int for ${chunkBytes}::int), 'base64') as base64
      from blobs where id = ${id}`.execute(db);
    const [row] = rows;
    if (row === undefined) throw new BlobGone(`Blob ${id} is gone`);
    yield Buffer.from(row.base64, 'base64');
  }
}

/** The texts of stored results, each in one piece. As bytes they would come in hexadecimal, twice as long. */
export async function findResultTexts(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('blobs')
    .select(['id', sql<string>`convert_from(bytes, 'UTF8')`.as('text')])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, text }) => [id, text]));
}
