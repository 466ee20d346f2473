import { type Selectable, sql } from 'kysely';
import type { FileStoreName, JobFile, WrittenFile } from '../files/file-store.ts';
import type { Db } from './client.ts';
import type { Lease } from '../jobs/transitions/lease.ts';
import type { FilesTable } from './tables.ts';

/** The row of a file whose bytes are still to come. @returns false when the lease was lost. */
export async function insertUnwrittenFile(
  db: Db,
  lease: Lease,
  file: Pick<JobFile, 'id' | 'name' | 'contentType' | 'store'>,
): Promise<boolean> {
  const { rows } = await sql`
    insert into files (id, job_id, name, content_type, store, state, lease_token)
    select ${file.id}::uuid, id, ${file.name}, ${file.contentType}, ${file.store}, 'writing', lease_token
    from jobs where id = ${lease.id} and lease_token = ${lease.token} and status = 'running'
    on conflict (id) do update set state = 'writing'
    returning id`.execute(db);
  return rows.length > 0;
}

/** So that an upload that is never completed can be ended. */
export async function saveUploadId(db: Db, id: string, uploadId: string): Promise<void> {
  await db.updateTable('files').set({ upload_id: uploadId }).where('id', '=', id).execute();
}

/**
 * Makes a file one of its job's, in place of the one that had its name, only while the lease holds.
 * @param bytes of a file that is written by this statement alone; null where its bytes are stored already.
 * @returns false when the lease was lost.
 */
export async function completeFile(
  db: Db,
  lease: Lease,
  file: JobFile,
  bytes: Buffer | null,
): Promise<boolean> {
  const chunk =
    bytes === null || bytes.length === 0
      ? sql`select where false`
      : sql`insert into file_chunks (file_id, first_byte, bytes) select id, 0, ${bytes}::bytea from complete
          on conflict (file_id, first_byte) do nothing`;
  const { rows } = await sql`-- prepared: complete-file${sql.raw(bytes?.length ? '-with-bytes' : '')}
    with job as (
      update jobs set files = coalesce(
        (select jsonb_agg(file) from jsonb_array_elements(files) as file where file ->> 'name' <> ${file.name}::text),
        '[]') || ${JSON.stringify(file)}::jsonb
      where id = ${lease.id}::uuid and lease_token = ${lease.token}::uuid and status = 'running'
      returning id
    ),
    replaced as (
      update files set state = 'replaced'
      where job_id in (select id from job) and name = ${file.name}::text and state = 'complete'
        and id <> ${file.id}::uuid
      returning id
    ),
    -- Counting what it replaces puts it behind: two complete files of one name cannot be.
    complete as (
      insert into files (id, job_id, name, content_type, size_bytes, sha256, store, state)
      select ${file.id}::uuid, job.id, ${file.name}::text, ${file.contentType}::text, ${file.sizeBytes}::bigint,
        decode(${file.sha256}::text, 'hex'), ${file.store}::text, 'complete'
      from job, (select count(*) from replaced) as before
      on conflict (id) do update set
        size_bytes = excluded.size_bytes, sha256 = excluded.sha256, state = 'complete', lease_token = null,
        upload_id = null
      returning id
    ),
    chunk as (${chunk})
    select id from complete`.execute(db);
  return rows.length > 0;
}

export interface OwnedFile extends JobFile {
  jobId: string;
  userId: string;
}

/** Complete files of jobs whose results are kept, by id. */
export async function findFiles(db: Db, ids: readonly string[]): Promise<Map<string, OwnedFile>> {
  const rows = await db
    .selectFrom('files')
    .innerJoin('jobs', 'jobs.id', 'files.job_id')
    .selectAll('files')
    .select('jobs.user_id')
    .where('files.id', 'in', ids)
    .where('files.state', '=', 'complete')
    .where('jobs.status', '=', 'succeeded')
    .execute();
  return new Map(rows.map((row) => [row.id, { ...toJobFile(row), jobId: row.job_id, userId: row.user_id }]));
}

function toJobFile(row: Selectable<FilesTable>): JobFile {
  return {
    id: row.id,
    name: row.name,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    sha256: row.sha256?.toString('hex') ?? '',
    store: row.store,
  };
}

const thumbnailOf = (id: string) => `thumbnail of ${id}`;

export async function findThumbnail(db: Db, of: { id: string; jobId: string }): Promise<JobFile | undefined> {
  const row = await db
    .selectFrom('files')
    .selectAll()
    .where('job_id', '=', of.jobId)
    .where('name', '=', thumbnailOf(of.id))
    .where('state', '=', 'complete')
    .executeTakeFirst();
  return row && toJobFile(row);
}

/** Keeps it with the job of the file that it was made of, where another process has not done that before. */
export async function insertThumbnail(
  db: Db,
  of: { id: string; jobId: string },
  { id, contentType, sha256 }: Pick<JobFile, 'id' | 'contentType' | 'sha256'>,
  bytes: Buffer,
): Promise<void> {
  await sql`
    with thumbnail as (
      insert into files (id, job_id, name, content_type, size_bytes, sha256, store, state)
      select ${id}::uuid, job.id, ${thumbnailOf(of.id)}, ${contentType}, ${bytes.length}::bigint,
        decode(${sha256}::text, 'hex'), 'postgres', 'complete'
      -- Not after its job has expired: nobody would delete it.
      from (select id from jobs where id = ${of.jobId}::uuid and status = 'succeeded' for share) as job
      on conflict (job_id, name) where state = 'complete' do nothing
      returning id
    )
    insert into file_chunks (file_id, first_byte, bytes) select id, 0, ${bytes}::bytea from thumbnail`.execute(
    db,
  );
}

const filesAtOnce = 500;

/** For a transaction that ends jobs without a result: what they have written is to be deleted. */
export async function discardFiles(trx: Db, jobIds: readonly string[]): Promise<void> {
  await sql`
    update files set state = 'replaced'
    where job_id = any(${jobIds}::uuid[]) and state = 'complete'`.execute(trx);
}

/**
 * Files that nobody can ask for any more: discarded with their job's result, replaced by another of their name, or
 * left by a run that is over. At most 500, all in the store.
 */
export async function listDeadFiles(db: Db, store: FileStoreName): Promise<WrittenFile[]> {
  const { rows } = await sql<WrittenFile>`
    select id, upload_id as "uploadId" from files
    where store = ${store} and (
      state = 'replaced'
      or (state = 'writing' and not exists (
        select from jobs
        where jobs.id = files.job_id and jobs.lease_token = files.lease_token and jobs.status = 'running'
      ))
    )
    -- Some that a store refuses to delete must not stand before all others for good.
    order by random() limit ${filesAtOnce}`.execute(db);
  return rows;
}

/** Their rows; their bytes must be gone already. */
export async function deleteFileRows(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('files').where('id', 'in', ids).execute();
}
