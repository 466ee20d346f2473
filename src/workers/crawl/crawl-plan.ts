import type { PageAddress } from '../addresses/page-address.ts';
import type { MapEdge, MapNode } from './page-graph.ts';
import type { OriginRules } from './robots.ts';
import type { ReadSitemaps } from './sitemaps.ts';
import type { Manners, Visit } from './visit.ts';

export interface CrawlPlan {
  root: string;
  /** Link hops. */
  depth: number;
  /** Pages. */
  limit: number;
  sameDomain: boolean;
  /** By its globs; the root is not asked for. */
  wants(url: string): boolean;
  sitemap: boolean;
  respectRobots: boolean;
}

/** The crawl's hands: everything outside of it. Each answers a URL the same, however often it is asked. */
export interface CrawlParts {
  /** @param mayAsk whether robots.txt leaves open where a page leads. */
  visit(page: PageAddress, mayAsk: Manners['mayAsk']): Promise<Visit>;
  robots(origin: string): Promise<OriginRules>;
  /** @param guessed where one may be that nobody has named, the likeliest first. @param wants whether the map wants a page. */
  sitemaps(
    named: readonly string[],
    guessed: readonly string[],
    wants: (url: string) => boolean,
  ): Promise<ReadSitemaps>;
  /** Those that were not to be had, or not within the time. */
  onMissingSitemaps(urls: readonly string[]): void;
  /** True once no more may be begun: the map is then what is known. */
  isOver(): boolean;
  onProgress(done: number, known: number, note: string): void;
}

export interface LinksMap {
  root: string;
  nodes: MapNode[];
  edges: MapEdge[];
  sitemaps: string[];
  blockedByRobots: string[];
  /** URLs that were met within the depth and not visited, for the limit or the time; not all of them. */
  leftOut: string[];
  /** Ran out of time or of its limit, or had more edges than one answer holds. */
  truncated: boolean;
  /** URLs that looked like places without end. */
  trapsRefused: number;
  /** Pages with more links than were kept. */
  pagesCut: number;
  /** The other site that the root redirects to; null where it stays on its own. */
  movedTo: string | null;
}
