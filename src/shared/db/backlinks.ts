import { sql } from 'kysely';
import type { Db } from './client.ts';

/** What the link index knows of the links to one registrable domain. */
export interface BacklinkTotals {
  backlinks: number;
  followed: number;
  referringDomains: number;
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

/** Referring domains of which the strongest are looked for: those with the most links. */
const rankedAtMost = 2_000;

/**
 * Totals of all links to the domain, and its strongest referring domains: by their position in `ranksId`, then by
 * their links.
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
        'referringDomains', count(*), 'lastSeenAt', max(last_seen_at)) from referring) as totals,
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
}

/** Links whose anchors are counted. */
export const countedAnchorLinks = 5_000;
const countedAnchors = 200;

/**
 * The most frequent anchors.
 * @param sampled null: of all links to the domain. Else, where those would be too many, of the newest from each of
 *   these domains, `countedAnchorLinks` in all.
 */
export async function listAnchors(
  db: Db,
  domain: string,
  sampled: readonly string[] | null,
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
    select anchor, image, min(to_url) as "to", count(*)::integer as count
    from (${links}) counted
    group by anchor, image order by count(*) desc, anchor limit ${countedAnchors}`.execute(db);
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
  /** Some, those with the most hosts first. */
  domains: { domain: string; hosts: number | null }[];
}

/** Referrers of which those with the most hosts are looked for. */
const graphReferrersAtMost = 2_000;

/** @param graph the data sets of one release: its vertices and its edges. */
export async function readGraphReferrers(
  db: Db,
  graph: { verticesId: number; edgesId: number },
  domain: string,
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
      (select coalesce(json_agg(json_build_object('domain', domain, 'hosts', hosts)), '[]') from (
        select v.domain, v.hosts from (
          select from_id from seo_graph_edges where dataset_id = ${edgesId} and to_id = ${id} limit ${graphReferrersAtMost}
        ) e join seo_graph_domains v on v.dataset_id = ${verticesId} and v.id = e.from_id
        order by v.hosts desc nulls last, v.domain limit ${limit}
      ) named) as domains`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('A select without a table has a row');
  return row;
}

/** Counting stops here: more make no difference to who asks. */
const countedReferrers = 100_000;

/**
 * How many domains link to each: by the newest domain-level graph where one is imported, else as the link index has
 * seen. Those of which neither knows any are absent.
 */
export async function countReferringDomains(
  db: Db,
  domains: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ domain: string; count: number }>`
    with graph as (
      select v.id as vertices, e.id as edges from seo_datasets v
      join seo_datasets e on e.kind = 'commoncrawl-edges' and e.name = v.name and e.finished_at is not null
      where v.kind = 'commoncrawl-vertices' and v.finished_at is not null
      order by v.as_of desc limit 1
    )
    select asked.domain, greatest(own.count, coalesce(linked.count, 0))::integer as count
    from unnest(${domains}::text[]) as asked (domain)
    cross join lateral (
      select count(*) from (
        select distinct from_domain from link_index_links where to_domain = asked.domain limit ${countedReferrers}
      ) own
    ) own
    left join lateral (
      select count(*) from (
        select 1 from graph
        join seo_graph_domains v on v.dataset_id = graph.vertices and v.domain = asked.domain
        join seo_graph_edges e on e.dataset_id = graph.edges and e.to_id = v.id
        limit ${countedReferrers}
      ) linked
    ) linked on true
    where greatest(own.count, coalesce(linked.count, 0)) > 0`.execute(db);
  return new Map(rows.map(({ domain, count }) => [domain, count]));
}
