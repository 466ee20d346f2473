import { sql } from 'kysely';
import type { Db } from './client.ts';
import type { SeoDatasetKind } from './seo-tables.ts';

export interface SeoDataset {
  id: number;
  kind: SeoDatasetKind;
  /** The date of a list, the release of a graph. */
  name: string;
  /** ISO 8601 date. */
  asOf: string;
  rowCount: number;
}

const columns = sql<SeoDataset>`id, kind, name, as_of::text as "asOf", row_count as "rowCount"`;

/** Those that are whole, newest first. */
export async function listSeoDatasets(db: Db, kind: SeoDatasetKind | null = null): Promise<SeoDataset[]> {
  const { rows } = await sql<SeoDataset>`
    select ${columns} from seo_datasets
    where finished_at is not null and (${kind}::text is null or kind = ${kind})
    order by as_of desc, id desc`.execute(db);
  return rows;
}

/** What one data set knows of one domain. */
export interface DomainRank extends SeoDataset {
  rank: number;
  score: number | null;
  pagerankRank: number | null;
  pagerank: number | null;
  hosts: number | null;
}

/** Of all data sets that know the domain, newest first. */
export async function listDomainRanks(db: Db, domain: string): Promise<DomainRank[]> {
  const { rows } = await sql<DomainRank>`
    select ${columns}, r.rank, r.score, r.pagerank_rank as "pagerankRank", r.pagerank, r.hosts
    from seo_domain_ranks r join seo_datasets on id = dataset_id
    where domain = ${domain} and finished_at is not null
    order by as_of desc, id desc`.execute(db);
  return rows;
}

/** Positions of domains in one data set of ranks; those that it does not know are absent. */
export async function findRanks(
  db: Db,
  datasetId: number,
  domains: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ domain: string; rank: number }>`
    select domain, rank from seo_domain_ranks
    where dataset_id = ${datasetId} and domain = any(${domains}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.domain, row.rank]));
}
