import type pg from 'pg';

/** A table with the columns that are written to it, generated ones left out. */
export interface BackupTable {
  name: string;
  columns: readonly string[];
}

/**
 * What is not in a backup: Kysely's own record, which the restoring migrations write, and the imported open data with what
 * is computed of it, which are imported again. Caches are unlogged tables and stay out by that.
 */
const leftOut = String.raw`name like 'kysely\_%' or name like 'seo\_%'`;

/** Ours, of all versions; those that are left out are ours too. */
const ownTables = (
  'accounts api_keys audit_log blobs crawl_visits file_chunks files job_events jobs key_usage licenses ' +
  'link_index_links link_index_pages login_attempts page_cache sessions token_uses usage_cursor users ' +
  'verifications webhook_deliveries webhook_receivers webhook_secrets'
).split(' ');

/** Tables and views in the schema that are ours, and those that are not; of extensions none. */
export async function listAllTables(client: pg.Client): Promise<{ own: string[]; others: string[] }> {
  const { rows } = await client.query<{ name: string; isOwn: boolean }>(
    `select name, name = any($1) or ${leftOut} as "isOwn" from (
      select relname::text as name from pg_class
      where relnamespace = current_schema::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    ) as found order by name`,
    [ownTables],
  );
  const pick = (isOwn: boolean) => rows.filter((row) => row.isOwn === isOwn).map(({ name }) => name);
  return { own: pick(true), others: pick(false) };
}

/** The tables of a backup, each after those that it refers to. @throws Error where they refer to each other in a circle. */
export async function listBackupTables(client: pg.Client): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable & { refersTo: string[] }>(`
    with tables as (
      select oid, relname::text as name from pg_class
      where relnamespace = current_schema::regnamespace and relkind = 'r' and relpersistence = 'p'
        and not relispartition
    )
    select name,
      (select json_agg(attname order by attnum) from pg_attribute
        where attrelid = oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      (select coalesce(json_agg(distinct confrelid::regclass::text), '[]') from pg_constraint
        where conrelid = tables.oid and contype = 'f' and confrelid <> conrelid) as "refersTo"
    from tables where not (${leftOut}) order by name`);
  const sorted = new Map<string, BackupTable>();
  while (sorted.size < rows.length) {
    const next = rows.find(
      ({ name, refersTo }) => !sorted.has(name) && refersTo.every((other) => sorted.has(other)),
    );
    if (next === undefined) throw new Error('Tables refer to each other in a circle');
    sorted.set(next.name, { name: next.name, columns: next.columns });
  }
  return [...sorted.values()];
}

/** @returns the SQL that lets numbered columns go on where the rows end. */
export async function listSequenceSettings(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ sql: string }>(`
    select format('select pg_catalog.setval(%L, %s);', s.schemaname || '.' || s.sequencename, s.last_value) as sql
    from pg_sequences s where s.schemaname = current_schema and s.last_value is not null
      and not (s.sequencename like 'seo\\_%') order by 1`);
  return rows.map(({ sql }) => sql);
}

export async function listMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
