import { type RawBuilder, sql } from 'kysely';
import type { Db } from './client.ts';

export interface SeenPage {
  url: string;
  /** Registrable. */
  domain: string;
  title: string | null;
  status: number | null;
  internalLinks: number;
  externalLinks: number;
}

export interface SeenLink {
  from: string;
  to: string;
  fromDomain: string;
  toDomain: string;
  anchor: string;
  rel: string;
  /** The link shows an image and no text. */
  image: boolean;
}

/** Postgres holds no NUL in text, and no half of a surrogate pair, as where a long text was cut. */
const clean = (text: string) => (text.includes('\0') ? text.replaceAll('\0', '') : text).toWellFormed();

/** Once each: a statement may write a row once. */
function jsonOf<Row>(rows: readonly Row[], keyOf: (row: Row) => string): string {
  return JSON.stringify([...new Map(rows.map((row) => [keyOf(row), row])).values()]);
}

/** The first half of the URL's SHA-256. */
const hashOf = (column: string) =>
  sql.raw(`encode(substring(sha256(convert_to(${column}, 'UTF8')) from 1 for 16), 'hex')::uuid`);

/**
 * A statement that adds pages to the index, or renews them. What was seen within the hour and is as it was is not
 * written again. In one order everywhere, or two writers of the same rows could wait for each other.
 */
export function upsertPages(pages: readonly SeenPage[]): RawBuilder<unknown> {
  const rows = pages.map((page) => ({ ...page, title: page.title && clean(page.title) }));
  return sql`
    insert into link_index_pages as known
      (url_hash, url, domain, title, status, internal_links, external_links)
    select ${hashOf('url')}, url, domain, title, status, "internalLinks", "externalLinks"
    from json_to_recordset(${jsonOf(rows, (row) => row.url)}::json) as seen (
      url text, domain text, title text, status integer, "internalLinks" integer, "externalLinks" integer
    )
    order by 1
    on conflict (url_hash) do update set
      title = excluded.title, status = excluded.status, internal_links = excluded.internal_links,
      external_links = excluded.external_links, last_seen_at = now()
    where known.last_seen_at < now() - interval '1 hour'
      or (known.title, known.status, known.internal_links, known.external_links) is distinct from
        (excluded.title, excluded.status, excluded.internal_links, excluded.external_links)`;
}

/** As `upsertPages`, of links to other domains. The pages that they start from are written before, or with them. */
export function upsertLinks(links: readonly SeenLink[]): RawBuilder<unknown> {
  const rows = links.map((link) => ({ ...link, anchor: clean(link.anchor), rel: clean(link.rel) }));
  return sql`
    insert into link_index_links as known
      (from_hash, to_hash, to_url, from_domain, to_domain, anchor, rel, image)
    select ${hashOf('"from"')}, ${hashOf('"to"')}, "to", "fromDomain", "toDomain", anchor, rel, image
    from json_to_recordset(${jsonOf(rows, (row) => `${row.from} ${row.to}`)}::json) as seen (
      "from" text, "to" text, "fromDomain" text, "toDomain" text, anchor text, rel text, image boolean
    )
    order by 1, 2
    on conflict (from_hash, to_hash) do update set
      anchor = excluded.anchor, rel = excluded.rel, image = excluded.image, last_seen_at = now()
    where known.last_seen_at < now() - interval '1 hour'
      or (known.anchor, known.rel, known.image) is distinct from (excluded.anchor, excluded.rel, excluded.image)`;
}

/** Adds pages and what they link to; the pages that `links` start from are among `pages`. */
export async function recordSeen(
  db: Db,
  seen: { pages: readonly SeenPage[]; links: readonly SeenLink[] },
): Promise<void> {
  await sql`with pages as (${upsertPages(seen.pages)}) ${upsertLinks(seen.links)}`.execute(db);
}

const keptDays = 400;
const deletedAtOnce = 500;

/** Deletes pages, and links, that no crawl has seen for more than a year. @returns how many, at most 1,000. */
export async function deleteOldLinks(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with links as (
      delete from link_index_links where (from_hash, to_hash) in (
        select from_hash, to_hash from link_index_links
        where last_seen_at < now() - ${keptDays} * interval '1 day'
        order by last_seen_at limit ${deletedAtOnce} for update skip locked
      )
      returning 1
    ),
    pages as (
      delete from link_index_pages where url_hash in (
        select url_hash from link_index_pages
        where last_seen_at < now() - ${keptDays} * interval '1 day'
          and not exists (select from link_index_links where from_hash = url_hash)
        order by last_seen_at limit ${deletedAtOnce} for update skip locked
      )
      returning 1
    )
    select (select count(*) from links)::int + (select count(*) from pages)::int as count`.execute(db);
  return rows[0]?.count ?? 0;
}
