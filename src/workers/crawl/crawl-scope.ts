import { mapAtOnce } from '../../shared/map-at-once.ts';
import type { CrawlParts, CrawlPlan } from './crawl-plan.ts';
import { type PageAddress, siteOfHost } from '../addresses/page-address.ts';
import type { OriginRules } from './robots.ts';
import { createTrapGuard } from './traps.ts';

const maxBlockedListed = 1_000;
/** Of the robots.txt that are remembered; of further ones the oldest is forgotten, and read again where it is needed. */
const rememberedBytes = 4_000_000;
const robotsAtOnce = 32;

/** Which URLs belong to a crawl. Each is decided upon once, when it is first met. */
export interface CrawlScope {
  /** The host whose site is mapped. */
  settleOn(host: string): void;
  /** Marks the URL as met. @returns false if it was before. */
  meet(key: string): boolean;
  isInScope(page: PageAddress): boolean;
  /** Reads the robots.txt of these pages' origins, side by side, where they are not known yet. */
  prepare(pages: readonly PageAddress[]): Promise<void>;
  /** By robots.txt. Answers at once where the origin's is known: most links of a site come by here. */
  isAllowed(page: PageAddress): boolean | Promise<boolean>;
  isTrap(page: PageAddress): boolean;
  rulesOf(origin: string): Promise<OriginRules>;
  /** URLs that robots.txt kept out; at most 1,000. */
  readonly blocked: ReadonlySet<string>;
  readonly trapsRefused: number;
}

type Robots = Pick<CrawlParts, 'robots' | 'isOver'>;

/** Each robots.txt is read once, however many ask for it at a time. */
function createRulebook({ robots }: Robots): {
  known(origin: string): OriginRules | undefined;
  read(origin: string): Promise<OriginRules>;
} {
  const rules = new Map<string, OriginRules>();
  const reading = new Map<string, Promise<OriginRules>>();
  let bytes = 0;

  async function readNew(origin: string): Promise<OriginRules> {
    try {
      const read = await robots(origin);
      rules.set(origin, read);
      bytes += read.sizeBytes;
      for (const [oldest, { sizeBytes }] of rules) {
        if (bytes <= rememberedBytes || oldest === origin) break;
        rules.delete(oldest);
        bytes -= sizeBytes;
      }
      return read;
    } finally {
      reading.delete(origin);
    }
  }
  return {
    known: (origin) => rules.get(origin),
    async read(origin) {
      const known = rules.get(origin);
      if (known !== undefined) return known;
      const running = reading.get(origin) ?? readNew(origin);
      reading.set(origin, running);
      return await running;
    },
  };
}

export function createCrawlScope(plan: CrawlPlan, parts: Robots): CrawlScope {
  const traps = createTrapGuard();
  const rules = createRulebook(parts);
  const blocked = new Set<string>();
  const met = new Set<string>();
  let site = siteOfHost(URL.parse(plan.root)?.host ?? '');

  function judge(known: OriginRules, url: string): boolean {
    const isOpen = known.allows(url);
    if (!isOpen && blocked.size < maxBlockedListed) blocked.add(url);
    return isOpen;
  }
  /** At the end of the time nothing more may be asked for. */
  async function readAndJudge({ url, origin }: PageAddress): Promise<boolean> {
    try {
      return judge(await rules.read(origin), url);
    } catch (error) {
      if (!parts.isOver()) throw error;
      return false;
    }
  }

  return {
    settleOn: (host) => void (site = siteOfHost(host)),
    meet(key) {
      const isNew = !met.has(key);
      met.add(key);
      return isNew;
    },
    isInScope: ({ url, host }) => (!plan.sameDomain || siteOfHost(host) === site) && plan.wants(url),
    async prepare(pages) {
      if (!plan.respectRobots) return;
      const origins = [...new Set(pages.map(({ origin }) => origin))];
      // Who asks about a page is told what went wrong.
      await mapAtOnce(origins, robotsAtOnce, async (origin) =>
        parts.isOver() ? undefined : await rules.read(origin).catch(() => undefined),
      );
    },
    isAllowed(page) {
      if (!plan.respectRobots) return true;
      const known = rules.known(page.origin);
      return known === undefined ? readAndJudge(page) : judge(known, page.url);
    },
    isTrap: (page) => !traps.admits(page),
    rulesOf: (origin) => rules.read(origin),
    blocked,
    get trapsRefused() {
      return traps.refused;
    },
  };
}
