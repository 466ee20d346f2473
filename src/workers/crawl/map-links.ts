import { createTimeSlice } from './yield-to-event-loop.ts';
import type { CrawlParts, CrawlPlan, LinksMap } from './crawl-plan.ts';
import { type CrawlScope, createCrawlScope } from './crawl-scope.ts';
import { createLevelVisits } from './level-visits.ts';
import { type PageAddress, splitAddress } from '../addresses/page-address.ts';
import { createPageGraph, type PageGraph } from './page-graph.ts';
import { visitRoot } from './root-visit.ts';
import type { ReadSitemaps } from './sitemaps.ts';
import type { Visit } from './visit.ts';

/** URLs of one level that are remembered beyond the limit, for those that turn out to be the same page. */
const spareOfLevel = 1_000;
/** Pages whose robots.txt are read side by side. */
const askedAtOnce = 200;

/** Turns what a level has brought into the next one. */
interface Frontier {
  takeUpLinks(visits: readonly Visit[]): Promise<PageAddress[]>;
  takeUp(urls: Iterable<string>): Promise<PageAddress[]>;
  /** Some of a level was left out. */
  readonly isCut: boolean;
}

function createFrontier(plan: CrawlPlan, graph: PageGraph, scope: CrawlScope): Frontier {
  const digests = new Set<string>();
  let isCut = false;

  function meet(url: string): PageAddress | null {
    const page = graph.address(url);
    if (page === null || graph.has(page.key) || !scope.meet(page.key)) return null;
    return scope.isInScope(page) ? page : null;
  }

  /** Adds those that robots.txt leaves open to the level. */
  async function admit(met: readonly PageAddress[], level: PageAddress[]): Promise<void> {
    const slice = createTimeSlice();
    for (let at = 0; at < met.length; at += askedAtOnce) {
      const some = met.slice(at, at + askedAtOnce);
      await scope.prepare(some);
      for (const page of some) {
        if (slice.isOver()) await slice.yieldToEventLoop();
        const answer = scope.isAllowed(page);
        const isAllowed = typeof answer === 'boolean' ? answer : await answer;
        if (isAllowed && !scope.isTrap(page)) level.push(page);
      }
    }
  }

  /** What is met once the level is full is not asked about at its host. */
  async function takeUp(urls: Iterable<string>): Promise<PageAddress[]> {
    const bound = plan.limit - graph.size + spareOfLevel;
    const level: PageAddress[] = [];
    const met: PageAddress[] = [];
    const slice = createTimeSlice();
    for (const url of urls) {
      if (slice.isOver()) await slice.yieldToEventLoop();
      const page = meet(url);
      if (page === null) continue;
      if (level.length + met.length >= bound) await admit(met.splice(0), level);
      if (level.length < bound) met.push(page);
      else isCut = true;
    }
    await admit(met, level);
    return level;
  }

  function leads({ follows, digest }: Visit): boolean {
    if (plan.respectRobots && !follows) return false;
    // The same bytes at another place: their relative links would go on for ever.
    if (digest !== null && digests.has(digest)) return false;
    if (digest !== null) digests.add(digest);
    return true;
  }

  function* linksOf(visits: readonly Visit[]): Iterable<string> {
    for (const visit of visits) if (leads(visit)) for (const [url] of visit.links) yield url;
  }

  return {
    takeUpLinks: (visits) => takeUp(linksOf(visits)),
    takeUp,
    get isCut() {
      return isCut;
    },
  };
}

async function readSitemapsOf(url: string, parts: CrawlParts, scope: CrawlScope): Promise<ReadSitemaps> {
  const { origin } = new URL(url);
  const wants = (named: string): boolean => {
    // The graph would keep each address, and there may be millions.
    const page = splitAddress(named);
    return page !== null && scope.isInScope(page);
  };
  const guessed = [`${origin}/sitemap.xml`, `${origin}/sitemap_index.xml`];
  let named: readonly string[];
  try {
    named = (await scope.rulesOf(origin)).sitemaps;
  } catch (error) {
    if (!parts.isOver()) throw error;
    return { sitemaps: [], urls: [], isCut: true };
  }
  const read = await parts.sitemaps(named, guessed, wants);
  parts.onMissingSitemaps(read.missing ?? []);
  return read;
}

/**
 * Maps a site breadth first, level by level: what belongs to a level, and which of it fits the limit, follows
 * from the pages alone and not from the order in which they answer. So the same site gives the same map, also
 * when a crawl is begun again and finds its first visits stored.
 */
export async function mapLinks(plan: CrawlPlan, parts: CrawlParts): Promise<LinksMap> {
  const graph = createPageGraph();
  const scope = createCrawlScope(plan, parts);
  const visits = createLevelVisits(plan, parts, graph, scope);
  const frontier = createFrontier(plan, graph, scope);

  const root = await visitRoot(plan, graph, scope, visits);
  const isMapped = root !== null && (root.movedTo === null || !plan.sameDomain);
  const hasSitemaps = isMapped && plan.sitemap && plan.depth > 0;
  const found: ReadSitemaps = hasSitemaps
    ? await readSitemapsOf(root.url, parts, scope)
    : { sitemaps: [], urls: [] };
  let fresh = root?.fresh ?? [];
  for (let depth = 1; depth <= plan.depth && fresh.length > 0; depth++) {
    fresh = await visits.visitLevel(await frontier.takeUpLinks(fresh), depth);
  }
  if (hasSitemaps) await visits.visitLevel(await frontier.takeUp(found.urls), null);

  const { nodes, edges, edgesCut, pagesCut } = await graph.finish();
  return {
    root: root?.url ?? plan.root,
    nodes,
    edges,
    sitemaps: found.sitemaps,
    blockedByRobots: [...scope.blocked].sort(),
    leftOut: visits.leftOut(),
    truncated: visits.isCut || frontier.isCut || edgesCut || pagesCut > 0 || found.isCut === true,
    pagesCut,
    trapsRefused: scope.trapsRefused,
    movedTo: root?.movedTo ?? null,
  };
}
