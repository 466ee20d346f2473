import { type Kysely, sql } from 'kysely';

/** Bytes that one statement moves. */
const bytesAtOnce = 64 * 1024 * 1024;
const chunkBytes = 1024 * 1024;

interface Picture {
  blob_id: string;
  size_bytes: number;
}

/**
 * Pictures of jobs become files under the ids that they have, so that the links to them go on. A screenshot is
 * named by its format, as `web.screenshot` names what it makes from now on.
 */
async function movePictures(db: Kysely<unknown>, ids: readonly string[]): Promise<void> {
  const moved = sql`any((select ${ids}::uuid[])::uuid[])`;
  await sql`
    insert into files (id, job_id, name, content_type, size_bytes, sha256, store, state, created_at)
    select blobs.id, jobs.id,
      'screenshot.' || regexp_replace(blobs.content_type, '^.*/', ''),
      blobs.content_type, blobs.size_bytes, blobs.sha256, 'postgres', 'complete', blobs.created_at
    from jobs join blobs on blobs.id = jobs.image_blob_id
    where blobs.id = ${moved}`.execute(db);
  await sql`
    insert into file_chunks (file_id, first_byte, bytes)
    select id, first_byte, substring(bytes from first_byte + 1 for ${chunkBytes}::int)
    from blobs, generate_series(0, size_bytes - 1, ${chunkBytes}::int) as first_byte
    where id = ${moved}`.execute(db);
  await sql`
    update jobs set files = jsonb_build_array(jsonb_build_object(
      'id', files.id, 'name', files.name, 'contentType', files.content_type,
      'sizeBytes', files.size_bytes, 'sha256', encode(files.sha256, 'hex'),
      'store', files.store))
    from files where files.job_id = jobs.id and files.id = ${moved}`.execute(db);
  await sql`delete from blobs where id = ${moved}`.execute(db);
}

export async function up(db: Kysely<unknown>): Promise<void> {
  // No reference to jobs: the bytes of a file may lie elsewhere, and must be deleted before its row is.
  await sql`
    create table files (
      id uuid primary key,
      job_id uuid not null,
      name text not null,
      content_type text not null,
      size_bytes bigint not null default 0,
      sha256 bytea,
      store text not null check (store in ('postgres', 's3')),
      state text not null check (state in ('writing', 'complete', 'replaced')),
      lease_token uuid,
      upload_id text,
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`create unique index files_of_job on files (job_id, name) where state = 'complete'`.execute(db);
  await sql`
    create table file_chunks (
      file_id uuid not null references files on delete cascade,
      first_byte bigint not null,
      bytes bytea not null,
      primary key (file_id, first_byte)
    )`.execute(db);
  // Pictures and videos do not compress, and a part of a value that is not compressed is read by itself.
  await sql`alter table file_chunks alter column bytes set storage external`.execute(db);
  await sql`alter table jobs add column files jsonb`.execute(db);

  const { rows } = await sql<Picture>`
    select blobs.id as blob_id, size_bytes from jobs join blobs on blobs.id = image_blob_id`.execute(db);
  let batch: string[] = [];
  let batchBytes = 0;
  for (const { blob_id, size_bytes } of rows) {
    batch.push(blob_id);
    batchBytes += size_bytes;
    if (batchBytes < bytesAtOnce && batch.length < 1_000) continue;
    await movePictures(db, batch);
    batch = [];
    batchBytes = 0;
  }
  if (batch.length > 0) await movePictures(db, batch);
  await sql`alter table jobs drop column image_blob_id`.execute(db);
}
