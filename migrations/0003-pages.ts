import { type Kysely, sql } from 'kysely';

/** The page cache, the checkpoints of links maps, and the index of pages and links that they see. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table jobs add column cache json`,
    // Unlogged: a cache may be empty after a crash, and its writes then cost no WAL.
    sql`
      create unlogged table page_cache (
        key bytea primary key,
        copy bytea not null,
        size_bytes integer not null,
        stored_at timestamptz not null default now()
      )`,
    // The copies are compressed already.
    sql`alter table page_cache alter column copy set storage external`,
    sql`create index page_cache_age on page_cache (stored_at)`,
    sql`
      create table crawl_visits (
        job_id uuid not null references jobs on delete cascade,
        url text not null,
        visit text not null
      )`,
    sql`create index crawl_visits_job on crawl_visits (job_id)`,
    sql`
      create table link_index_pages (
        url_hash bytea primary key,
        url text not null,
        domain text not null,
        title text,
        status integer,
        internal_links integer not null,
        external_links integer not null,
        first_seen_at timestamptz not null default now(),
        last_seen_at timestamptz not null default now()
      )`,
    sql`create index link_index_pages_domain on link_index_pages (domain, last_seen_at desc)`,
    sql`
      create table link_index_links (
        from_hash bytea not null references link_index_pages on delete cascade,
        to_hash bytea not null,
        to_url text not null,
        from_domain text not null,
        to_domain text not null,
        anchor text not null,
        rel text not null,
        first_seen_at timestamptz not null default now(),
        last_seen_at timestamptz not null default now(),
        primary key (from_hash, to_hash)
      )`,
    sql`create index link_index_links_to on link_index_links (to_domain, from_domain, last_seen_at desc)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
