import type { CrawlParts, CrawlPlan } from './crawl-plan.ts';
import type { CrawlScope } from './crawl-scope.ts';
import type { PageAddress } from '../addresses/page-address.ts';
import type { PageGraph } from './page-graph.ts';
import type { Visit } from './visit.ts';

/** More than any share of a host; what waits for its slot costs nothing. */
const visitsAtOnce = 32;
/** Pages that lead on from a page of the level, one to the next. */
const maxRedirects = 10;
/** URLs that are told of those that were not visited. */
const maxLeftOut = 1_000;

/** Makes the visits of a crawl, a level at a time. */
export interface LevelVisits {
  /** @returns null for a visit that the end of the time has cut off. */
  visit(page: PageAddress): Promise<Visit | null>;
  /**
   * Visits a level as far as the limit and the time go.
   * @param depth null for pages that no link leads to.
   * @returns the visits that the level brought, in the order of its links.
   */
  visitLevel(level: readonly PageAddress[], depth: number | null): Promise<Visit[]>;
  /** Something was left out. */
  readonly isCut: boolean;
  /** Of what was left out, the first ones. */
  leftOut(): string[];
}

export function createLevelVisits(
  { limit }: CrawlPlan,
  parts: CrawlParts,
  graph: PageGraph,
  scope: CrawlScope,
): LevelVisits {
  let visited = 0;
  let isCut = false;
  const notVisited = new Map<string, string>();

  const mayAsk = (url: string) => {
    const page = graph.address(url);
    return page !== null && scope.isAllowed({ ...page, url });
  };

  async function visit(page: PageAddress): Promise<Visit | null> {
    try {
      const made = await parts.visit(page, mayAsk);
      visited++;
      return made;
    } catch (error) {
      if (!parts.isOver()) throw error;
      isCut = true;
      return null;
    }
  }

  /** Where a redirect leads, if the crawl has not been there: of those that it has met the limit may leave some out. */
  async function takeUpRedirect(
    redirect: string,
    isTaken: (key: string) => boolean,
  ): Promise<PageAddress | null> {
    const target = graph.address(redirect);
    if (target === null || !scope.isInScope(target) || isTaken(target.key) || graph.has(target.key))
      return null;
    scope.meet(target.key);
    return (await scope.isAllowed(target)) ? target : null;
  }

  /** Where a redirect leads belongs to the same level. */
  async function visitAll(pages: readonly PageAddress[], note: string): Promise<void> {
    const todo = pages.map((page) => ({ page, redirects: 0 }));
    const taken = new Set(pages.map(({ key }) => key));
    let next = 0;
    const work = async () => {
      while (next < todo.length && !parts.isOver()) {
        const { page, redirects } = todo[next++] ?? {};
        if (page === undefined || redirects === undefined) return;
        const made = await visit(page);
        if (made !== null) graph.add(page.key, made);
        parts.onProgress(visited, visited + Math.max(0, todo.length - next), note);
        if (!made?.redirect || redirects >= maxRedirects) continue;
        const target = await takeUpRedirect(made.redirect, (key) => taken.has(key));
        if (target === null || taken.has(target.key)) continue;
        taken.add(target.key);
        todo.push({ page: target, redirects: redirects + 1 });
      }
    };
    await Promise.all(Array.from({ length: Math.min(visitsAtOnce, todo.length) }, work));
  }

  return {
    visit,
    async visitLevel(level, depth) {
      const fresh: Visit[] = [];
      const note = depth === null ? 'sitemaps' : `level ${depth}`;
      let taken = 0;
      while (taken < level.length && graph.size < limit && !parts.isOver()) {
        const some = level.slice(taken, taken + limit - graph.size);
        taken += some.length;
        // A redirect may have led there already.
        const wave = some.filter(({ key }) => !graph.has(key));
        await visitAll(wave, note);
        for (const { key } of wave) fresh.push(...graph.settle(key, depth));
      }
      if (taken < level.length || parts.isOver()) isCut = true;
      for (const { key, url } of isCut ? level : []) {
        if (!graph.has(key) && notVisited.size < maxLeftOut) notVisited.set(key, url);
      }
      return fresh;
    },
    get isCut() {
      return isCut;
    },
    leftOut: () => [...notVisited].flatMap(([key, url]) => (graph.has(key) ? [] : [url])),
  };
}
