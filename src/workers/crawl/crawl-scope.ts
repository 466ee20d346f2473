import type { CrawlParts, CrawlPlan } from './crawl-plan.ts';
import { type PageAddress, siteOfHost } from './page-address.ts';
import type { OriginRules } from './robots.ts';
import { createTrapGuard } from './traps.ts';

const maxBlockedListed = 1_000;

/** Which URLs belong to a crawl. Each is decided upon once, when it is first met. */
export interface CrawlScope {
  /** The host whose site is mapped. */
  settleOn(host: string): void;
  /** Marks the URL as met. @returns false if it was before. */
  meet(key: string): boolean;
  isInScope(page: PageAddress): boolean;
  /** By robots.txt. Answers at once where the origin's is known: most links of a site come by here. */
  isAllowed(page: PageAddress): boolean | Promise<boolean>;
  isTrap(page: PageAddress): boolean;
  rulesOf(origin: string): Promise<OriginRules>;
  /** URLs that robots.txt kept out; at most 1,000. */
  readonly blocked: ReadonlySet<string>;
  readonly trapsRefused: number;
}

export function createCrawlScope(plan: CrawlPlan, readRobots: CrawlParts['robots']): CrawlScope {
  const traps = createTrapGuard();
  const rules = new Map<string, OriginRules>();
  const blocked = new Set<string>();
  const met = new Set<string>();
  let site = siteOfHost(URL.parse(plan.root)?.host ?? '');

  function judge(known: OriginRules, url: string): boolean {
    const isOpen = known.allows(url);
    if (!isOpen && blocked.size < maxBlockedListed) blocked.add(url);
    return isOpen;
  }
  async function rulesOf(origin: string): Promise<OriginRules> {
    const known = rules.get(origin) ?? (await readRobots(origin));
    rules.set(origin, known);
    return known;
  }

  return {
    settleOn: (host) => void (site = siteOfHost(host)),
    meet(key) {
      const isNew = !met.has(key);
      met.add(key);
      return isNew;
    },
    isInScope: ({ url, host }) => (!plan.sameDomain || siteOfHost(host) === site) && plan.wants(url),
    isAllowed({ url, origin }) {
      if (!plan.respectRobots) return true;
      const known = rules.get(origin);
      return known === undefined ? rulesOf(origin).then((read) => judge(read, url)) : judge(known, url);
    },
    isTrap: (page) => !traps.admits(page),
    rulesOf,
    blocked,
    get trapsRefused() {
      return traps.refused;
    },
  };
}
