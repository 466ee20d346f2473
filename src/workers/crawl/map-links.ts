import { fromStoredError } from '../../shared/errors.ts';
import { type PageAddress, siteOfHost } from './page-address.ts';
import { createPageGraph, type MapEdge, type MapNode } from './page-graph.ts';
import type { RobotRules } from './robots.ts';
import type { ReadSitemaps } from './sitemaps.ts';
import { createTrapGuard } from './traps.ts';
import type { Visit } from './visit.ts';

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
  visit(page: PageAddress): Promise<Visit>;
  robots(origin: string): Promise<RobotRules>;
  sitemaps(starts: string[]): Promise<ReadSitemaps>;
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
  /** Ran out of time or of its limit, or had more edges than one answer holds. */
  truncated: boolean;
  /** URLs that looked like places without end. */
  trapsRefused: number;
}

/** More than any share of a host; what waits for its turn costs nothing. */
const visitsAtOnce = 32;
const maxRootRedirects = 10;
const maxBlockedListed = 1_000;
/** URLs of one level that are remembered beyond the limit, for those that turn out to be the same page. */
const spareOfLevel = 1_000;

/**
 * Maps a site breadth first, level by level: what belongs to a level, and which of it fits the limit, follows
 * from the pages alone and not from the order in which they answer. So the same site gives the same map, also
 * when a crawl is begun again and finds its first visits stored.
 */
export async function mapLinks(plan: CrawlPlan, parts: CrawlParts): Promise<LinksMap> {
  const graph = createPageGraph();
  const traps = createTrapGuard();
  const rules = new Map<string, RobotRules>();
  const blocked = new Set<string>();
  /** Keys that were taken up or turned down for good. */
  const considered = new Set<string>();
  const digests = new Set<string>();
  let site = siteOfHost(URL.parse(plan.root)?.host ?? '');
  let truncated = false;
  let visited = 0;

  async function isAllowed({ url, origin }: PageAddress): Promise<boolean> {
    if (!plan.respectRobots) return true;
    let known = rules.get(origin);
    if (known === undefined) rules.set(origin, (known = await parts.robots(origin)));
    if (known.allows(url)) return true;
    if (blocked.size < maxBlockedListed) blocked.add(url);
    return false;
  }
  const isInScope = ({ url, host }: PageAddress) =>
    (!plan.sameDomain || siteOfHost(host) === site) && plan.wants(url);

  /** @returns null for a visit that the end of the time has cut off. */
  async function visitOne(page: PageAddress): Promise<Visit | null> {
    try {
      const visit = await parts.visit(page);
      graph.add(page.key, visit);
      visited++;
      return visit;
    } catch (error) {
      if (parts.isOver()) return null;
      throw error;
    }
  }

  /** Where a redirect leads belongs to the same level. */
  async function visitAll(pages: readonly PageAddress[], note: string): Promise<void> {
    const todo = [...pages];
    let next = 0;
    const work = async () => {
      while (next < todo.length && !parts.isOver()) {
        const page = todo[next++];
        if (page === undefined) return;
        const redirect = (await visitOne(page))?.redirect ?? null;
        parts.onProgress(visited, visited + Math.max(0, todo.length - next), note);
        const target = redirect === null ? null : graph.address(redirect);
        if (target === null || considered.has(target.key) || !isInScope(target)) continue;
        considered.add(target.key);
        if (await isAllowed(target)) todo.push(target);
      }
    };
    await Promise.all(Array.from({ length: Math.min(visitsAtOnce, todo.length) }, work));
  }

  /** @returns the visits that the level brought, in the order of its links. */
  async function visitLevel(level: readonly PageAddress[], depth: number | null): Promise<Visit[]> {
    const fresh: Visit[] = [];
    const note = depth === null ? 'sitemaps' : `level ${depth}`;
    let taken = 0;
    while (taken < level.length && graph.size < plan.limit && !parts.isOver()) {
      const wave = level.slice(taken, taken + plan.limit - graph.size);
      taken += wave.length;
      await visitAll(wave, note);
      for (const { key } of wave) fresh.push(...graph.settle(key, depth));
    }
    if (taken < level.length || parts.isOver()) truncated = true;
    return fresh;
  }

  async function takeUp(url: string): Promise<PageAddress | null> {
    const page = graph.address(url);
    if (page === null || considered.has(page.key) || graph.has(page.key)) return null;
    considered.add(page.key);
    if (!isInScope(page) || !(await isAllowed(page)) || !traps.admits(page)) return null;
    return page;
  }

  async function nextLevel(visits: readonly Visit[]): Promise<PageAddress[]> {
    const level: PageAddress[] = [];
    const bound = plan.limit - graph.size + spareOfLevel;
    for (const { links, follows, digest } of visits) {
      if (plan.respectRobots && !follows) continue;
      // The same bytes at another place: their relative links would go on for ever.
      if (digest !== null && digests.has(digest)) continue;
      if (digest !== null) digests.add(digest);
      for (const [url] of links) {
        const page = await takeUp(url);
        if (page === null) continue;
        if (level.length < bound) level.push(page);
        else truncated = true;
      }
    }
    return level;
  }

  /** The root's redirects may lead to another site; that one is then meant. */
  async function visitRoot(): Promise<{ url: string; fresh: Visit[] } | null> {
    let url = new URL(plan.root).href;
    let first: string | null = null;
    for (let hops = 0; ; hops++) {
      const page = graph.address(url);
      if (page === null) break;
      considered.add(page.key);
      if (!(await isAllowed(page))) return null;
      const visit = await visitOne({ ...page, url: hops === 0 ? url : page.url });
      if (visit === null) break;
      if (visit.error !== null) throw fromStoredError(visit.error);
      first ??= page.key;
      url = visit.at;
      const target = visit.redirect === null ? null : graph.address(visit.redirect);
      if (target === null || graph.has(target.key) || hops >= maxRootRedirects) break;
      url = target.url;
    }
    site = siteOfHost(new URL(url).host);
    return { url, fresh: first === null ? [] : graph.settle(first, 0) };
  }

  async function visitSitemapsOnly(found: ReadSitemaps): Promise<void> {
    const orphans: PageAddress[] = [];
    for (const url of found.urls) {
      const page = await takeUp(url);
      if (page !== null) orphans.push(page);
    }
    await visitLevel(orphans, null);
  }

  const root = await visitRoot();
  const found: ReadSitemaps = { sitemaps: [], urls: [] };
  if (root !== null) {
    const { origin } = new URL(root.url);
    if (plan.sitemap && plan.depth > 0) {
      const named = plan.respectRobots ? rules.get(origin)?.sitemaps : (await parts.robots(origin)).sitemaps;
      Object.assign(found, await parts.sitemaps([...(named ?? []), `${origin}/sitemap.xml`]));
    }
    let { fresh } = root;
    for (let depth = 1; depth <= plan.depth && fresh.length > 0; depth++) {
      fresh = await visitLevel(await nextLevel(fresh), depth);
    }
    if (plan.sitemap && plan.depth > 0) await visitSitemapsOnly(found);
  }
  const { nodes, edges, edgesCut } = graph.finish();
  return {
    root: root?.url ?? plan.root,
    nodes,
    edges,
    sitemaps: found.sitemaps,
    blockedByRobots: [...blocked].sort(),
    truncated: truncated || edgesCut,
    trapsRefused: traps.refused,
  };
}
