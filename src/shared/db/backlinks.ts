import { sql } from 'kysely';
import type { Db } from './client.ts';

/** What the link index knows of the links to one registrable domain. */
export interface BacklinkTotals {
  backlinks: number;
  followed: number;
  referringDomains: number;
  /** Those of the domain that has most of them. */
  mostOfOneDomain: number;
  lastSeenAt: Date | null;
}

export interface ReferringDomain {
  domain: string;
  links: number;
  followed: number;
  firstSeenAt: Date;
  lastSeenAt: Date;
  /** In the ranks that were asked for; null where they do not know it. */
  rank: number | null;
}

/** Referring domains of which the strongest are looked for. */
export const rankedAtMost = 2_000;

/**
 * Totals of all links to the domain, and its strongest referring domains, of the `rankedAtMost` with the most links:
 * by their position in `ranksId`, then by their links.
 */
export async function readReferringDomains(
  db: Db,
  domain: string,
  ranksId: number | null,
  limit: number,
): Promise<{ totals: BacklinkTotals; domains: ReferringDomain[] }> {
  const { rows } = await sql<{ totals: BacklinkTotals; domains: ReferringDomain[] }>`
    with referring as materialized (
      select from_domain, count(*)::integer as links, count(*) filter (where followed)::integer as followed,
        min(first_seen_at) as first_seen_at, max(last_seen_at) as last_seen_at
      from link_index_links where to_domain = ${domain} group by from_domain
    ),
    most as (select * from referring order by links desc, from_domain limit ${rankedAtMost}),
    strongest as (
      select most.*, r.rank from most
      left join lateral (
        select rank from seo_domain_ranks where dataset_id = ${ranksId}::integer and domain = from_domain limit 1
      ) r on true
      order by r.rank nulls last, links desc, from_domain limit ${limit}
    )
    select
      (select json_build_object('backlinks', coalesce(sum(links), 0), 'followed', coalesce(sum(followed), 0),
        'referringDomains', count(*), 'mostOfOneDomain', coalesce(max(links), 0), 'lastSeenAt', max(last_seen_at)) from referring) as totals,
      (select coalesce(json_agg(json_build_object('domain', from_domain, 'links', links, 'followed', followed,
        'firstSeenAt', first_seen_at, 'lastSeenAt', last_seen_at, 'rank', rank)), '[]') from strongest) as domains`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('A select without a table has a row');
  const date = (text: unknown) => new Date(String(text));
  return {
    totals: {
      ...row.totals,
      lastSeenAt: row.totals.lastSeenAt === null ? null : date(row.totals.lastSeenAt),
    },
    domains: row.domains.map((one) => ({
      ...one,
      firstSeenAt: date(one.firstSeenAt),
      lastSeenAt: date(one.lastSeenAt),
    })),
  };
}

export interface AnchorCount {
  anchor: string;
  image: boolean;
  /** A URL that it leads to. */
  to: string;
  count: number;
  /** All links whose anchors were counted. */
  counted: number;
}

/** Links whose anchors are counted. */
export const countedAnchorLinks = 5_000;

/**
 * The most frequent anchors.
 * @param sampled null: of all links to the domain. Else, where those would be too many, of the newest from each of
 *   these domains, `countedAnchorLinks` in all.
 */
export async function listAnchors(
  db: Db,
  domain: string,
  sampled: readonly string[] | null,
  limit: number,
): Promise<AnchorCount[]> {
  const links =
    sampled === null
      ? sql`select anchor, image, to_url from link_index_links where to_domain = ${domain}`
      : sql`
          select newest.* from unnest(${sampled}::text[]) as named (domain)
          cross join lateral (
            select anchor, image, to_url from link_index_links
            where to_domain = ${domain} and from_domain = named.domain
            order by last_seen_at desc limit ${Math.ceil(countedAnchorLinks / sampled.length)}
          ) newest`;
  const { rows } = await sql<AnchorCount>`
    select anchor, image, min(to_url) as "to", count(*)::integer as count,
      (sum(count(*)) over ())::integer as counted
    from (${links}) counted
    group by anchor, image order by count(*) desc, anchor limit ${limit}`.execute(db);
  return rows;
}

export interface Backlink {
  from: string;
  fromDomain: string;
  to: string;
  anchor: string;
  rel: string;
  image: boolean;
  firstSeenAt: Date;
  lastSeenAt: Date;
}

/** Links from the named domains: the newest of each in turn, then the second of each, and so on. */
export async function listBacklinks(
  db: Db,
  domain: string,
  fromDomains: readonly string[],
  limit: number,
): Promise<Backlink[]> {
  if (fromDomains.length === 0) return [];
  const { rows } = await sql<Backlink>`
    select p.url as "from", l.from_domain as "fromDomain", l.to_url as "to", l.anchor, l.rel, l.image,
      l.first_seen_at as "firstSeenAt", l.last_seen_at as "lastSeenAt"
    from unnest(${fromDomains}::text[]) with ordinality as named (domain, place)
    cross join lateral (
      select *, row_number() over (order by last_seen_at desc) as turn from (
        select * from link_index_links where to_domain = ${domain} and from_domain = named.domain
        order by last_seen_at desc limit ${limit}
      ) newest
    ) l
    join link_index_pages p on p.url_hash = l.from_hash
    order by l.turn, named.place limit ${limit}`.execute(db);
  return rows;
}

/** What a domain-level graph knows of the domains that link to one. */
export interface GraphReferrers {
  /** Null: it does not know the domain. */
  referringDomains: number | null;
  /** Of those, how many the link index knows too. */
  alsoInLinkIndex: number;
  /** The strongest of the first `rankedAtMost`, by the numbers of the graph. */
  domains: { domain: string; rank: number | null }[];
}

/** The data sets of one release of a domain-level graph. */
export interface Graph {
  verticesId: number;
  edgesId: number;
}

/** Referring domains, the strongest by their position in `ranksId`, then by their hosts. */
export async function readGraphReferrers(
  db: Db,
  graph: Graph,
  domain: string,
  ranksId: number | null,
  limit: number,
): Promise<GraphReferrers> {
  const { verticesId, edgesId } = graph;
  const found = await sql<{ id: number }>`
    select id from seo_graph_domains where dataset_id = ${verticesId} and domain = ${domain}`.execute(db);
  const id = found.rows[0]?.id;
  if (id === undefined) return { referringDomains: null, alsoInLinkIndex: 0, domains: [] };
  const { rows } = await sql<GraphReferrers>`
    select
      (select count(*)::float8 from seo_graph_edges where dataset_id = ${edgesId} and to_id = ${id}) as "referringDomains",
      (select count(*)::float8 from (select distinct from_domain from link_index_links where to_domain = ${domain}) own
        join seo_graph_domains v on v.dataset_id = ${verticesId} and v.domain = own.from_domain
        join seo_graph_edges e on e.dataset_id = ${edgesId} and e.to_id = ${id} and e.from_id = v.id
      ) as "alsoInLinkIndex",
      (select coalesce(json_agg(json_build_object('domain', domain, 'rank', rank)), '[]') from (
        select v.domain, r.rank from (
          select from_id from seo_graph_edges where dataset_id = ${edgesId} and to_id = ${id}
          order by from_id limit ${rankedAtMost}
        ) e join seo_graph_domains v on v.dataset_id = ${verticesId} and v.id = e.from_id
        left join lateral (
          select rank from seo_domain_ranks where dataset_id = ${ranksId}::integer and domain = v.domain limit 1
        ) r on true
        order by r.rank nulls last, v.hosts desc nulls last, v.domain limit ${limit}
      ) named) as domains`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('A select without a table has a row');
  return row;
}

/** Counting stops here: more make no difference to who asks. */
const countedReferrers = 100_000;

export interface ReferrerCount {
  /** As the link index has seen. */
  seen: number;
  lastSeenAt: Date | null;
  /** By the graph; 0 without one. */
  inGraph: number;
}

/** How many domains link to each. Those of which neither source knows any are absent. */
export async function countReferringDomains(
  db: Db,
  graph: Graph | null,
  domains: readonly string[],
): Promise<Map<string, ReferrerCount>> {
  const { rows } = await sql<ReferrerCount & { domain: string }>`
    select asked.domain, own.count::integer as seen, own.last_seen_at as "lastSeenAt",
      linked.count::integer as "inGraph"
    from unnest(${domains}::text[]) as asked (domain)
    cross join lateral (
      select count(*), max(last_seen_at) as last_seen_at from (
        select max(last_seen_at) as last_seen_at from link_index_links where to_domain = asked.domain
        group by from_domain limit ${countedReferrers}
      ) own
    ) own
    cross join lateral (
      select count(*) from (
        select 1 from seo_graph_domains v
        join seo_graph_edges e on e.dataset_id = ${graph?.edgesId ?? null}::integer and e.to_id = v.id
        where v.dataset_id = ${graph?.verticesId ?? null}::integer and v.domain = asked.domain
        limit ${countedReferrers}
      ) linked
    ) linked
    where greatest(own.count, linked.count) > 0`.execute(db);
  return new Map(rows.map(({ domain, ...count }) => [domain, count]));
}
