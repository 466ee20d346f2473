import { createBreather } from './breather.ts';
import type { CrawlParts, CrawlPlan, LinksMap } from './crawl-plan.ts';
import { type CrawlScope, createCrawlScope } from './crawl-scope.ts';
import { createLevelVisits } from './level-visits.ts';
import type { PageAddress } from './page-address.ts';
import { createPageGraph, type PageGraph } from './page-graph.ts';
import { visitRoot } from './root-visit.ts';
import type { ReadSitemaps } from './sitemaps.ts';
import type { Visit } from './visit.ts';

/** URLs of one level that are remembered beyond the limit, for those that turn out to be the same page. */
const spareOfLevel = 1_000;

/** Turns what a level has brought into the next one. */
interface Frontier {
  takeUpLinks(visits: readonly Visit[]): Promise<PageAddress[]>;
  takeUpAll(urls: readonly string[]): Promise<PageAddress[]>;
  /** Some of a level was left out. */
  readonly isCut: boolean;
}

function createFrontier(plan: CrawlPlan, graph: PageGraph, scope: CrawlScope): Frontier {
  const digests = new Set<string>();
  let isCut = false;

  /** Waits only where a robots.txt is still to be read. */
  function takeUp(url: string): PageAddress | null | Promise<PageAddress | null> {
    const page = graph.address(url);
    if (page === null || graph.has(page.key) || !scope.meet(page.key) || !scope.isInScope(page)) return null;
    const admit = (isAllowed: boolean) => (isAllowed && !scope.isTrap(page) ? page : null);
    const isAllowed = scope.isAllowed(page);
    return typeof isAllowed === 'boolean' ? admit(isAllowed) : isAllowed.then(admit);
  }

  function leads({ follows, digest }: Visit): boolean {
    if (plan.respectRobots && !follows) return false;
    // The same bytes at another place: their relative links would go on for ever.
    if (digest !== null && digests.has(digest)) return false;
    if (digest !== null) digests.add(digest);
    return true;
  }

  return {
    async takeUpLinks(visits) {
      const level: PageAddress[] = [];
      const bound = plan.limit - graph.size + spareOfLevel;
      const breather = createBreather();
      for (const visit of visits) {
        if (!leads(visit)) continue;
        for (const [url] of visit.links) {
          if (breather.isDue()) await breather.rest();
          const taken = takeUp(url);
          const page = taken instanceof Promise ? await taken : taken;
          if (page === null) continue;
          if (level.length < bound) level.push(page);
          else isCut = true;
        }
      }
      return level;
    },
    async takeUpAll(urls) {
      const level: PageAddress[] = [];
      const breather = createBreather();
      for (const url of urls) {
        if (breather.isDue()) await breather.rest();
        const page = await takeUp(url);
        if (page !== null) level.push(page);
      }
      return level;
    },
    get isCut() {
      return isCut;
    },
  };
}

async function readSitemapsOf(url: string, parts: CrawlParts, scope: CrawlScope): Promise<ReadSitemaps> {
  const { origin } = new URL(url);
  const named = (await scope.rulesOf(origin)).sitemaps;
  return await parts.sitemaps([...named, `${origin}/sitemap.xml`]);
}

/**
 * Maps a site breadth first, level by level: what belongs to a level, and which of it fits the limit, follows
 * from the pages alone and not from the order in which they answer. So the same site gives the same map, also
 * when a crawl is begun again and finds its first visits stored.
 */
export async function mapLinks(plan: CrawlPlan, parts: CrawlParts): Promise<LinksMap> {
  const graph = createPageGraph();
  const scope = createCrawlScope(plan, parts.robots);
  const visits = createLevelVisits(plan, parts, graph, scope);
  const frontier = createFrontier(plan, graph, scope);

  const root = await visitRoot(plan, graph, scope, visits);
  const isMapped = root !== null && (root.movedTo === null || !plan.sameDomain);
  const hasSitemaps = isMapped && plan.sitemap && plan.depth > 0;
  const found = hasSitemaps ? await readSitemapsOf(root.url, parts, scope) : { sitemaps: [], urls: [] };
  let fresh = root?.fresh ?? [];
  for (let depth = 1; depth <= plan.depth && fresh.length > 0; depth++) {
    fresh = await visits.visitLevel(await frontier.takeUpLinks(fresh), depth);
  }
  if (hasSitemaps) await visits.visitLevel(await frontier.takeUpAll(found.urls), null);

  const { nodes, edges, edgesCut } = await graph.finish();
  return {
    root: root?.url ?? plan.root,
    nodes,
    edges,
    sitemaps: found.sitemaps,
    blockedByRobots: [...scope.blocked].sort(),
    truncated: visits.isCut || frontier.isCut || edgesCut,
    trapsRefused: scope.trapsRefused,
    movedTo: root?.movedTo ?? null,
  };
}
