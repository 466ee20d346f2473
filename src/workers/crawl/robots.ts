import robotsParser from 'robots-parser';
import type { EgressLease } from '../../shared/egress/types.ts';

// Its types describe an ES module; it is a CommonJS one, whose default is the function itself.
const parseRobots = robotsParser as unknown as (typeof robotsParser)['default'];

/** The name that site owners can address in robots.txt. */
const robotName = 'Quarry';

/** RFC 9309, section 2.5: a crawler reads at least this much. */
const maxBytes = 512_000;
const longestDelayMs = 30_000;

/** What robots.txt of one origin says to us. */
export interface RobotRules {
  allows(url: string): boolean;
  /** Between two requests; 0 where nothing is said. */
  delayMs: number;
  sitemaps: readonly string[];
}

const allOpen: RobotRules = { allows: () => true, delayMs: 0, sitemaps: [] };
const allClosed: RobotRules = { ...allOpen, allows: () => false };

/**
 * Reads robots.txt as RFC 9309 says: none (4xx) opens everything, a broken server (5xx) closes everything. One
 * that cannot be reached at all opens everything too: its pages will tell.
 */
export async function readRobots(
  lease: EgressLease,
  origin: string,
  options: { headers: Record<string, string>; timeoutMs: number; signal: AbortSignal },
): Promise<RobotRules> {
  const url = `${origin}/robots.txt`;
  let text: string;
  try {
    const response = await lease.fetch({ url, maxRedirects: 5, maxBodyBytes: maxBytes, ...options });
    if (response.status >= 500) return allClosed;
    if (response.status >= 300) return allOpen;
    text = response.body.toString();
  } catch {
    options.signal.throwIfAborted();
    return allOpen;
  }
  const rules = parseRobots(url, text);
  return {
    // Undefined where the URL is of another origin, about which this file says nothing.
    allows: (page) => rules.isAllowed(page, robotName) ?? true,
    delayMs: Math.min((rules.getCrawlDelay(robotName) ?? 0) * 1_000, longestDelayMs),
    sitemaps: rules.getSitemaps().flatMap((sitemap) => URL.parse(sitemap, url)?.href ?? []),
  };
}
