import { type Kysely, sql } from 'kysely';

/**
 * The link index made for backlinks of a domain: hashes of 16 bytes in place of 32, domains compared by their bytes,
 * and one index that answers who links to a domain, how often and since when. Imported data sets beside it, each in
 * partitions of its own: those are filled without indexes, seen once they are whole, and dropped at once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const asUuid = (column: string) =>
    sql.raw(`alter column ${column} type uuid using encode(substring(${column} from 1 for 16), 'hex')::uuid`);
  const statements = [
    sql`alter table jobs add column provenance json`,
    sql`alter table link_index_links drop constraint link_index_links_from_hash_fkey`,
    sql`alter table link_index_pages ${asUuid('url_hash')}`,
    sql`drop index link_index_links_to`,
    sql`
      alter table link_index_links ${asUuid('from_hash')}, ${asUuid('to_hash')},
        alter column from_domain type text collate "C", alter column to_domain type text collate "C",
        add column image boolean not null default false,
        add column followed boolean not null
          generated always as (rel !~* '\\m(nofollow|sponsored|ugc)\\M') stored`,
    sql`
      alter table link_index_links add foreign key (from_hash) references link_index_pages on delete cascade`,
    sql`
      create index link_index_links_to on link_index_links (to_domain, from_domain, last_seen_at desc)
        include (first_seen_at, followed)`,
    sql`
      create table seo_datasets (
        id integer generated always as identity primary key,
        kind text not null,
        name text not null,
        as_of date not null,
        file_hash text,
        offset_bytes bigint not null default 0,
        row_count bigint not null default 0,
        skipped_count bigint not null default 0,
        started_at timestamptz not null default now(),
        finished_at timestamptz,
        unique (kind, name)
      )`,
    sql`
      create table seo_domain_ranks (
        dataset_id integer not null,
        domain text collate "C" not null,
        rank integer not null,
        score double precision,
        pagerank_rank integer,
        pagerank double precision,
        hosts integer
      ) partition by list (dataset_id)`,
    sql`create index on seo_domain_ranks (domain)`,
    sql`
      create table seo_graph_domains (
        dataset_id integer not null,
        id integer not null,
        domain text collate "C" not null,
        hosts integer
      ) partition by list (dataset_id)`,
    sql`create index on seo_graph_domains (domain)`,
    sql`create index on seo_graph_domains (id)`,
    sql`
      create table seo_graph_edges (
        dataset_id integer not null,
        from_id integer not null,
        to_id integer not null
      ) partition by list (dataset_id)`,
    sql`create index on seo_graph_edges (to_id, from_id)`,
    // Unlogged: a cache may be empty after a crash.
    sql`
      create unlogged table seo_answers (
        key bytea primary key,
        answer text not null,
        stored_at timestamptz not null default now()
      )`,
    sql`create index seo_answers_age on seo_answers (stored_at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
