import type { DomainRank, SeoDataset } from '../../shared/db/seo-datasets.ts';
import type { Metric } from '../../shared/schemas/seo.ts';

/** Ranks that authority is read from, the best first: a crawl of the web, then the part of it that Quarry has seen. */
const rankKinds = ['commoncrawl-ranks', 'link-index'] as const;

const smallestWeb = 1_000_000;

/**
 * Authority of a domain from its position among `count` ranked ones, on a logarithmic scale:
 *
 *     100 · ln((count + 1) / position) / ln(max(count, 1,000,000) + 1)
 *
 * The first of a hundred million has 100, one at position 10,000 has 50. Of fewer than a million domains nobody has
 * 100: to be the first of ten says little.
 */
export function authorityOf(position: number, count: number): number {
  const scale = Math.log(Math.max(count, smallestWeb) + 1);
  const value = (100 * Math.log((count + 1) / position)) / scale;
  return Math.round(Math.min(100, Math.max(0, value)) * 10) / 10;
}

const howRanked: Record<(typeof rankKinds)[number], string> = {
  'commoncrawl-ranks': "harmonic centrality in Common Crawl's graph of domains",
  'link-index': 'PageRank (damping 0.85) over the followed links between domains that this Quarry has seen',
};

/** @returns the data set that authority is read from: the newest of the best kind. */
export function chooseRanks(datasets: readonly SeoDataset[]): SeoDataset | null {
  for (const kind of rankKinds) {
    const found = datasets.find((dataset) => dataset.kind === kind);
    if (found !== undefined) return found;
  }
  return null;
}

export function describeAuthority(ranks: SeoDataset): Omit<NonNullable<Metric>, 'value'> {
  const isWeb = ranks.kind === 'commoncrawl-ranks';
  const how = howRanked[isWeb ? 'commoncrawl-ranks' : 'link-index'];
  return {
    source: sourceName(ranks),
    asOf: ranks.asOf,
    method: `Position by ${how}, of ${ranks.rowCount} domains, on a logarithmic scale: 100 · ln((n + 1) / position) / ln(max(n, 1,000,000) + 1).`,
    confidence: isWeb ? 'high' : ranks.rowCount >= 100_000 ? 'medium' : 'low',
  };
}

export function readAuthority(ranks: readonly DomainRank[], chosen: SeoDataset | null): Metric {
  const found = ranks.find((rank) => rank.id === chosen?.id);
  return found === undefined
    ? null
    : { value: authorityOf(found.rank, found.rowCount), ...describeAuthority(found) };
}

export const linkIndex = 'Quarry link index';
const sourceNames: Record<SeoDataset['kind'], string> = {
  tranco: 'Tranco',
  'commoncrawl-ranks': 'Common Crawl domain ranks',
  'commoncrawl-vertices': 'Common Crawl domain graph',
  'commoncrawl-edges': 'Common Crawl domain graph',
  'link-index': linkIndex,
};

export function sourceName({ kind, name }: Pick<SeoDataset, 'kind' | 'name'>): string {
  return kind === 'link-index' || kind === 'tranco' ? sourceNames[kind] : `${sourceNames[kind]} ${name}`;
}
