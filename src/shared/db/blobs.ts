import type { Blob } from '../blobs/blob.ts';
import type { Db } from './client.ts';

/** `db` may be a transaction. */
export async function insertBlobs(db: Db, blobs: readonly Blob[]): Promise<void> {
  if (blobs.length === 0) return;
  await db
    .insertInto('blobs')
    .values(
      blobs.map((blob) => ({
        id: blob.id,
        content_type: blob.contentType,
        size_bytes: blob.bytes.length,
        sha256: blob.sha256,
        bytes: blob.bytes,
      })),
    )
    .execute();
}

export async function findBlob(db: Db, id: string): Promise<Blob | undefined> {
  const row = await db
    .selectFrom('blobs')
    .select(['id', 'content_type', 'sha256', 'bytes'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { id: row.id, contentType: row.content_type, bytes: row.bytes, sha256: row.sha256 };
}
