import { fromStoredError } from '../../shared/errors.ts';
import { withoutFragment } from '../addresses/without-fragment.ts';
import type { CrawlPlan } from './crawl-plan.ts';
import type { CrawlScope } from './crawl-scope.ts';
import type { LevelVisits } from './level-visits.ts';
import { siteOfHost } from '../addresses/page-address.ts';
import type { PageGraph } from './page-graph.ts';
import type { Visit } from './visit.ts';

const maxRedirects = 10;

export interface VisitedRoot {
  /** Where the map begins. */
  url: string;
  /** What it brought. */
  fresh: Visit[];
  /** The other site that it redirects to. */
  movedTo: string | null;
}

interface Step {
  key: string;
  visit: Visit;
}

const startOf = ({ root }: CrawlPlan): string => withoutFragment(new URL(root).href);

/** Another port or scheme of one host name is the same site, also where the host is an address. */
function isElsewhere(url: string, root: string): boolean {
  const [there, here] = [new URL(url), new URL(root)];
  return there.hostname !== here.hostname && siteOfHost(there.host) !== siteOfHost(here.host);
}

/** Follows the root's redirects. @returns null where robots.txt closes one of them. */
async function followRoot(
  plan: CrawlPlan,
  graph: PageGraph,
  scope: CrawlScope,
  visits: LevelVisits,
): Promise<{ steps: Step[]; movedTo: string | null } | null> {
  const steps: Step[] = [];
  let movedTo: string | null = null;
  for (let url: string | null = startOf(plan); url !== null;) {
    const page = graph.address(url);
    if (page === null || steps.length > maxRedirects || steps.some(({ key }) => key === page.key)) break;
    movedTo = isElsewhere(url, plan.root) ? url : null;
    if (movedTo !== null && plan.sameDomain) break;
    scope.meet(page.key);
    if (!(await scope.isAllowed(page))) return null;
    // The root itself is asked for as it was written, its session id included.
    const visit = await visits.visit(steps.length === 0 ? { ...page, url } : page);
    if (visit === null) break;
    if (visit.error !== null) throw fromStoredError(visit.error);
    // It leads to itself, with a slash at the end or by https, where robots.txt closes that.
    const to = visit.redirect === null ? null : graph.address(visit.redirect);
    if (to?.key === page.key && !(await scope.isAllowed({ ...to, url: visit.redirect ?? '' }))) return null;
    steps.push({ key: page.key, visit });
    url = visit.redirect;
  }
  return { steps, movedTo };
}

/**
 * Visits the root and decides which site is mapped: the one that its redirects lead to, as long as it is the one
 * that was asked for at another address (https, www). Another site is told but not entered, unless the plan goes
 * across sites anyway.
 */
export async function visitRoot(
  plan: CrawlPlan,
  graph: PageGraph,
  scope: CrawlScope,
  visits: LevelVisits,
): Promise<VisitedRoot | null> {
  const followed = await followRoot(plan, graph, scope, visits);
  if (followed === null) return null;
  const { steps, movedTo } = followed;
  for (const { key, visit } of steps) graph.add(key, visit);
  const url = steps.at(-1)?.visit.at ?? startOf(plan);
  scope.settleOn(new URL(url).host);
  const [first] = steps;
  return { url, fresh: first === undefined ? [] : graph.settle(first.key, 0), movedTo };
}
