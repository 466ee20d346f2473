import { createHash } from 'node:crypto';
import { sql } from 'kysely';
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
}

/** Postgres holds no NUL in text. */
const clean = (text: string) => text.replaceAll('\0', '');
const hashOf = (url: string) => createHash('sha256').update(url).digest();
/** In one order everywhere, or two writers of the same rows could wait for each other. */
const inOrder = (a: { hash: Buffer }, b: { hash: Buffer }) => a.hash.compare(b.hash);

async function upsertPages(db: Db, pages: readonly SeenPage[]): Promise<void> {
  const byUrl = new Map(pages.map((page) => [page.url, { ...page, hash: hashOf(page.url) }]));
  const rows = [...byUrl.values()].sort(inOrder);
  await sql`
    insert into link_index_pages (url_hash, url, domain, title, status, internal_links, external_links)
    select * from unnest(
      ${rows.map((row) => row.hash)}::bytea[],
      ${rows.map((row) => row.url)}::text[],
      ${rows.map((row) => row.domain)}::text[],
      ${rows.map((row) => row.title && clean(row.title))}::text[],
      ${rows.map((row) => row.status)}::integer[],
      ${rows.map((row) => row.internalLinks)}::integer[],
      ${rows.map((row) => row.externalLinks)}::integer[]
    )
    on conflict (url_hash) do update set
      title = excluded.title, status = excluded.status, internal_links = excluded.internal_links,
      external_links = excluded.external_links, last_seen_at = now()
  `.execute(db);
}

async function upsertLinks(db: Db, links: readonly SeenLink[]): Promise<void> {
  const byEnds = new Map(links.map((link) => [`${link.from} ${link.to}`, link]));
  const rows = [...byEnds.values()]
    .map((link) => ({ ...link, fromHash: hashOf(link.from), toHash: hashOf(link.to) }))
    .map((link) => ({ ...link, hash: Buffer.concat([link.fromHash, link.toHash]) }))
    .sort(inOrder);
  if (rows.length === 0) return;
  await sql`
    insert into link_index_links (from_hash, to_hash, to_url, from_domain, to_domain, anchor, rel)
    select * from unnest(
      ${rows.map((row) => row.fromHash)}::bytea[],
      ${rows.map((row) => row.toHash)}::bytea[],
      ${rows.map((row) => row.to)}::text[],
      ${rows.map((row) => row.fromDomain)}::text[],
      ${rows.map((row) => row.toDomain)}::text[],
      ${rows.map((row) => clean(row.anchor))}::text[],
      ${rows.map((row) => clean(row.rel))}::text[]
    )
    on conflict (from_hash, to_hash) do update set
      anchor = excluded.anchor, rel = excluded.rel, last_seen_at = now()
  `.execute(db);
}

/** Adds what a crawl has seen to the index, or renews it. The pages that `links` start from are among `pages`. */
export async function recordSeen(
  db: Db,
  pages: readonly SeenPage[],
  links: readonly SeenLink[],
): Promise<void> {
  if (pages.length === 0) return;
  await db.transaction().execute(async (trx) => {
    await upsertPages(trx, pages);
    await upsertLinks(trx, links);
  });
}
