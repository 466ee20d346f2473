import { EgressError } from '../../shared/egress/egress-error.ts';
import { resolveLocation } from '../../shared/egress/redirects.ts';
import type { EgressLease, EgressRequest, EgressResponse } from '../../shared/egress/types.ts';
import { AppError } from '../../shared/errors.ts';
import { defineTask, type TaskOptions, type TaskPool } from '../../shared/tasks/task.ts';
import { retryOverloaded } from './retry-overloaded.ts';
import { askWithRetries } from './busy-host.ts';
import readRobotsBody from './read-robots.ts';
import { createRobotRules } from './robots-rules.ts';

const readRobotsTask = defineTask<typeof readRobotsBody>(new URL('./read-robots.ts', import.meta.url));
/** At this size even a hostile one takes two milliseconds; handing it over costs about one. */
const smallBytes = 16 * 1024;

/** The name that site owners can address in robots.txt. */
const robotName = 'Quarry';

/** RFC 9309, section 2.5: a crawler reads at least this much. */
const maxBytes = 512_000;
const longestDelayMs = 30_000;
const tooManyRequests = 429;
const maxSitemaps = 50;

/** What robots.txt of one origin says to us. */
export interface OriginRules {
  allows(url: string): boolean;
  /** Between two requests; 0 where nothing is said. */
  delayMs: number;
  sitemaps: readonly string[];
  /** The server did not let it be read, or it takes too much to read, which closes everything. */
  isUnreadable: boolean;
  /** What it takes to remember, about. */
  sizeBytes: number;
}

const baseBytes = 200;
const allOpen: OriginRules = {
  allows: () => true,
  delayMs: 0,
  sitemaps: [],
  isUnreadable: false,
  sizeBytes: baseBytes,
};
const allClosed: OriginRules = { ...allOpen, allows: () => false, isUnreadable: true };

/** The server is not there at all, or speaks otherwise: its pages will tell the same. */
const ofTheServer = new Set([
  'target_dns_failed',
  'target_tls_failed',
  'url_not_allowed',
  'egress_proxy_failed',
]);

function isOfTheServer(error: unknown): boolean {
  if (error instanceof EgressError && error.result === 'connect') return true;
  return error instanceof AppError && ofTheServer.has(error.code);
}

/** Its own server is there, and leads to one that is not: the pages of its own may tell otherwise. */
async function leadsElsewhere(
  lease: RobotsReader['lease'],
  url: string,
  options: Pick<EgressRequest, 'headers' | 'timeoutMs' | 'signal'>,
): Promise<boolean> {
  const request = { url, redirect: 'manual' as const, readBody: () => false, ...options };
  const answer = await lease.fetch(request).catch(() => null);
  options.signal?.throwIfAborted();
  const to = answer === null ? null : resolveLocation(answer.headers['location'] ?? '', url);
  return to !== null && to.hostname !== new URL(url).hostname;
}

export interface RobotsReader {
  lease: Pick<EgressLease, 'fetch'>;
  tasks: TaskPool;
  owner: TaskOptions['owner'];
}

/**
 * Reads robots.txt as RFC 9309 says: none (4xx, or redirects without end) opens everything; a server that breaks,
 * hangs or hangs up closes everything. So does one that is asked too much (429), as for Google: the file may be there.
 * Of a long one the first 500 KB count; one that takes too long to read closes everything too.
 * @throws AppError `overloaded` where a long one cannot be read now.
 */
export async function readRobots(
  { lease, tasks, owner }: RobotsReader,
  origin: string,
  options: { headers: Record<string, string>; timeoutMs: number; signal: AbortSignal },
): Promise<OriginRules> {
  const url = `${origin}/robots.txt`;
  let response: EgressResponse;
  try {
    response = await askWithRetries(lease, {
      url,
      maxRedirects: 5,
      maxBodyBytes: maxBytes,
      cutsBody: true,
      ...options,
    });
  } catch (error) {
    options.signal.throwIfAborted();
    const isNone = error instanceof AppError && error.code === 'too_many_redirects';
    if (isNone) return allOpen;
    return isOfTheServer(error) && !(await leadsElsewhere(lease, url, options)) ? allOpen : allClosed;
  }
  const { signal } = options;
  const { status, body, headers, truncated } = response;
  if (status >= 500 || status === tooManyRequests) return allClosed;
  if (status >= 300) return allOpen;
  // It broke off: what did not come may close what the rest opens. What comes behind its end is none of it.
  const isWhole = !truncated || body.length >= maxBytes || body.length === Number(headers['content-length']);
  if (!isWhole) return allClosed;
  const task = { body, product: robotName, maxSitemaps };
  const readLong = () => tasks.run(readRobotsTask, task, { signal, owner });
  // That we are too busy to read it says nothing of the site.
  const told =
    body.length <= smallBytes
      ? readRobotsBody(task)
      : await retryOverloaded(readLong, signal).catch((error: unknown) => {
          if (error instanceof AppError && error.code === 'target_too_large') return null;
          throw error;
        });
  if (told === null) return allClosed;
  const rules = createRobotRules(told);
  return {
    // About another origin this file says nothing.
    allows: (page) => !page.startsWith(`${origin}/`) || rules.allows(page),
    delayMs: Math.min((rules.delaySeconds ?? 0) * 1_000, longestDelayMs),
    isUnreadable: false,
    sizeBytes: baseBytes + body.length,
    sitemaps: rules.sitemaps.flatMap((sitemap) => URL.parse(sitemap, url)?.href ?? []),
  };
}
