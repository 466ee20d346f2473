import type { SeoDatasetKind } from '../shared/db/seo-tables.ts';

/** How the lines of a published file become rows. */
export interface FileFormat {
  table: 'seo_domain_ranks' | 'seo_graph_domains' | 'seo_graph_edges';
  columns: string;
  /** A line as it is published, for messages. */
  example: string;
  /** @returns the row as text of COPY, or null for a line that is none (a header, a broken line). */
  toRow(line: string): string | null;
}

const domainName = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/;
const isDomain = (text: string) => text.length <= 253 && domainName.test(text);
const whole = /^\d{1,10}$/;
const maxInteger = 2_147_483_647;
const isWhole = (text: string | undefined): text is string =>
  text !== undefined && whole.test(text) && Number(text) <= maxInteger;
/** As Java and C print them. */
const decimal = /^\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** `com.example` is `example.com`, as Common Crawl writes names. */
const reverse = (name: string) => name.split('.').toReversed().join('.');

/** As spreadsheets write it too: in quotes. */
const ranked = /^"?(\d+)"?,"?([^",]+)"?$/;

/** `rank,domain`, https://tranco-list.eu */
const tranco: FileFormat = {
  table: 'seo_domain_ranks',
  columns: 'rank, domain',
  example: '1,google.com',
  toRow(line) {
    const [, rank, name = ''] = ranked.exec(line) ?? [];
    const domain = name.toLowerCase();
    return isWhole(rank) && isDomain(domain) ? `${rank}\t${domain}` : null;
  },
};

/**
 * `#harmonicc_pos #harmonicc_val #pr_pos #pr_val #host_rev #n_hosts`, separated by tabs, ordered by the first
 * (https://commoncrawl.org/web-graphs). Older releases have no `#n_hosts`.
 */
const commonCrawlRanks: FileFormat = {
  table: 'seo_domain_ranks',
  columns: 'rank, score, pagerank_rank, pagerank, domain, hosts',
  example: '1\t24993276.0\t2\t0.012750407517909759\tcom.facebook\t7348',
  toRow(line) {
    const [position, harmonic = '', pagerankPosition, pagerank = '', name = '', hosts] = line.split('\t');
    const domain = reverse(name);
    if (!isWhole(position) || !isWhole(pagerankPosition) || !isDomain(domain)) return null;
    if (!decimal.test(harmonic) || !decimal.test(pagerank)) return null;
    return `${position}\t${harmonic}\t${pagerankPosition}\t${pagerank}\t${domain}\t${isWhole(hosts) ? hosts : '\\N'}`;
  },
};

/** `id name hosts`, separated by tabs: the domains of Common Crawl's domain-level graph. */
const commonCrawlVertices: FileFormat = {
  table: 'seo_graph_domains',
  columns: 'id, domain, hosts',
  example: '1042\tcom.example\t3',
  toRow(line) {
    const [id, name = '', hosts] = line.split('\t');
    const domain = reverse(name);
    return isWhole(id) && isDomain(domain) ? `${id}\t${domain}\t${isWhole(hosts) ? hosts : '\\N'}` : null;
  },
};

/** `from to`, separated by a tab: ids of its vertices. */
const commonCrawlEdges: FileFormat = {
  table: 'seo_graph_edges',
  columns: 'from_id, to_id',
  example: '1042\t77',
  toRow(line) {
    const tab = line.indexOf('\t');
    const from = line.slice(0, tab);
    const to = line.slice(tab + 1);
    return isWhole(from) && isWhole(to) ? line : null;
  },
};

export const fileFormats = {
  tranco,
  'commoncrawl-ranks': commonCrawlRanks,
  'commoncrawl-vertices': commonCrawlVertices,
  'commoncrawl-edges': commonCrawlEdges,
} satisfies Partial<Record<SeoDatasetKind, FileFormat>>;

export type ImportKind = keyof typeof fileFormats;
