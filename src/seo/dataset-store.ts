import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connectUnbounded } from '../shared/db/connections.ts';
import type { SeoDatasetKind } from '../shared/db/seo-tables.ts';
import { SeoError } from './seo-error.ts';

/** An import as it stands in the database. */
export interface DatasetState {
  id: number;
  kind: SeoDatasetKind;
  name: string;
  fileHash: string | null;
  /** Of the file, decompressed. */
  offset: number;
  rows: number;
  skipped: number;
  isFinished: boolean;
}

export interface Checkpoint {
  offset: number;
  rows: number;
  skipped: number;
}

/** Rows on their way into a partition; nothing of them is there before `commit`. */
export interface Batch {
  write(rows: string): Promise<void>;
  /** Stores the rows and how far the import is, in one transaction. */
  commit(checkpoint: Checkpoint): Promise<void>;
  /** Gives the rows up. The connection answers no other query while they are on their way. */
  abort(): Promise<void>;
}

type RankTable = 'seo_domain_ranks' | 'seo_graph_domains' | 'seo_graph_edges';
const indexedColumns: Record<RankTable, readonly string[]> = {
  seo_domain_ranks: ['domain'],
  seo_graph_domains: ['domain', 'id'],
  seo_graph_edges: ['to_id, from_id'],
};

const tables = Object.keys(indexedColumns) as RankTable[];

export async function connect(databaseUrl: string): Promise<pg.Client & AsyncDisposable> {
  const client = await connectUnbounded(databaseUrl);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

const stateColumns = `id, kind, name, file_hash as "fileHash", offset_bytes::float8 as "offset",
  row_count::float8 as "rows", skipped_count::float8 as "skipped", finished_at is not null as "isFinished"`;

/**
 * Finds the data set, or makes it with an empty partition, and takes it for this process.
 * @throws SeoError where another process works on it.
 */
export async function takeDataset(
  client: pg.Client,
  table: RankTable,
  wanted: { kind: SeoDatasetKind; name: string; asOf: string; fileHash: string | null },
): Promise<DatasetState> {
  const { kind, name, asOf, fileHash } = wanted;
  await client.query('begin');
  const { rowCount } = await client.query(
    `insert into seo_datasets (kind, name, as_of, file_hash) values ($1, $2, $3, $4) on conflict do nothing`,
    [kind, name, asOf, fileHash],
  );
  const found = await client.query<DatasetState>(
    `select ${stateColumns} from seo_datasets where kind = $1 and name = $2`,
    [kind, name],
  );
  const [state] = found.rows;
  if (state === undefined) throw new SeoError(`${kind} ${name} was removed meanwhile. Begin again.`);
  if (rowCount === 1) {
    await client.query(`create table ${table}_${state.id} (like ${table},
      check (dataset_id = ${state.id}))`);
    await client.query(`alter table ${table}_${state.id} alter dataset_id set default ${state.id}`);
  }
  await client.query('commit');
  const lock = await client.query<{ taken: boolean }>(
    `select pg_try_advisory_lock(hashtext('quarry seo dataset'), $1) as taken`,
    [state.id],
  );
  if (lock.rows[0]?.taken !== true)
    throw new SeoError(`${kind} ${name} is being imported by another process. Wait for its end.`);
  return state;
}

export async function openBatch(
  client: pg.Client,
  { id }: { id: number },
  { table, columns }: { table: RankTable; columns: string },
): Promise<Batch> {
  await client.query('begin');
  const copy = client.query(copyFrom(`copy ${table}_${id} (${columns}) from stdin`));
  // Told by `write` and `commit`.
  copy.on('error', () => undefined);
  const failed = finished(copy);
  failed.catch(() => undefined);
  return {
    async write(rows) {
      if (!copy.write(rows)) await Promise.race([once(copy, 'drain'), failed]);
    },
    async commit({ offset, rows, skipped }) {
      copy.end();
      await failed;
      await client.query(
        `update seo_datasets set offset_bytes = $2, row_count = $3, skipped_count = $4 where id = $1`,
        [id, offset, rows, skipped],
      );
      await client.query('commit');
    },
    async abort() {
      copy.destroy();
      await failed.catch(() => undefined);
      await client.query('rollback');
    },
  };
}

/** Makes the data set seen: with its indexes, whole, and in the place of `replaced`. */
export async function finishDataset(
  client: pg.Client,
  table: RankTable,
  id: number,
  replaced: readonly number[] = [],
): Promise<void> {
  const partition = `${table}_${id}`;
  await client.query('begin');
  await client.query(`set local maintenance_work_mem = '256MB'`);
  for (const columns of indexedColumns[table])
    await client.query(`create index on ${partition} (${columns})`);
  await client.query(`alter table ${table} attach partition ${partition} for values in (${id})`);
  await client.query(`update seo_datasets set finished_at = now() where id = $1`, [id]);
  for (const old of replaced) await dropDataset(client, old);
  await client.query('commit');
  await client.query(`analyze ${partition}`);
}

/** Within a transaction, its rows and its entry go at once. */
export async function dropDataset(client: pg.Client, id: number): Promise<void> {
  for (const table of tables) await client.query(`drop table if exists ${table}_${Math.trunc(id)}`);
  await client.query('delete from seo_datasets where id = $1', [id]);
}
