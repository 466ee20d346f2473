import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import type { FileStore } from './file-store.ts';
import { freeBuffersBehind } from './free-buffers.ts';

/** One statement carries no more, and a reader holds no more. */
export const chunkBytes = 1024 * 1024;

/** What one statement deletes: Postgres deletes a megabyte in some milliseconds. */
const deletedBytesAtOnce = 64 * chunkBytes;

interface Chunk {
  firstByte: number;
  bytes: Buffer;
}

/** Files as rows of a megabyte each. */
export function createPostgresStore(db: Db): FileStore {
  async function insertChunk(id: string, firstByte: number, bytes: Buffer): Promise<void> {
    await sql`-- prepared: insert-file-chunk
      insert into file_chunks (file_id, first_byte, bytes)
      select ${id}::uuid, ${firstByte}::bigint, ${bytes}::bytea
      -- Nothing until the commit that completes the file, which waits for the disk and so for all before it.
      where (select set_config('synchronous_commit', 'off', true)) = 'off'
      on conflict (file_id, first_byte) do nothing`.execute(db);
  }

  async function findChunk(id: string, position: number): Promise<Chunk | undefined> {
    // As text it comes in any case: in base64 it is two thirds of what it would be.
    const { rows } = await sql<{ first_byte: number; base64: string }>`-- prepared: find-file-chunk
      select first_byte, encode(bytes, 'base64') as base64 from file_chunks
      where file_id = ${id}::uuid and first_byte <= ${position}::bigint
      order by first_byte desc limit 1`.execute(db);
    return rows[0] && { firstByte: rows[0].first_byte, bytes: Buffer.from(rows[0].base64, 'base64') };
  }

  /** What each of the files takes, to a chunk; nothing for one that has no bytes. */
  async function listSizes(ids: readonly string[]): Promise<{ id: string; sizeBytes: number }[]> {
    const rows = await db
      .selectFrom('file_chunks')
      .select((eb) => ['file_id', eb.fn.max('first_byte').as('last')])
      .where('file_id', 'in', ids)
      .groupBy('file_id')
      .execute();
    return rows.map(({ file_id, last }) => ({ id: file_id, sizeBytes: last + chunkBytes }));
  }

  return {
    name: 'postgres',
    async write(id, content) {
      let position = 0;
      for await (const chunk of content) {
        await insertChunk(id, position, chunk);
        position += chunk.length;
        freeBuffersBehind(chunk.length);
      }
    },
    async *read(id, { start, end }) {
      let next = findChunk(id, start);
      for (let position = start; position <= end;) {
        const chunk = await next;
        const bytes = chunk?.bytes.subarray(position - chunk.firstByte, end + 1 - chunk.firstByte);
        if (bytes === undefined || bytes.length === 0) throw new Error(`File ${id} lacks byte ${position}`);
        position += bytes.length;
        if (position <= end) {
          // While the reader is busy with this one.
          next = findChunk(id, position);
          next.catch(() => undefined);
        }
        freeBuffersBehind(bytes.length);
        yield bytes;
      }
    },
    async delete(files) {
      if (files.length === 0) return new Map();
      let group: string[] = [];
      let groupBytes = 0;
      const deleteFrom = (ids: readonly string[], from = 0) =>
        db.deleteFrom('file_chunks').where('file_id', 'in', ids).where('first_byte', '>=', from).execute();
      for (const { id, sizeBytes } of await listSizes(files.map((file) => file.id))) {
        for (let from = sizeBytes - deletedBytesAtOnce; from > 0; from -= deletedBytesAtOnce) {
          await deleteFrom([id], from);
        }
        group.push(id);
        groupBytes += Math.min(sizeBytes, deletedBytesAtOnce);
        if (groupBytes < deletedBytesAtOnce) continue;
        await deleteFrom(group);
        group = [];
        groupBytes = 0;
      }
      if (group.length > 0) await deleteFrom(group);
      return new Map();
    },
  };
}
