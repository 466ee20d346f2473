import type { Warning } from '../../../shared/schemas/job.ts';
import { resolveLink } from '../html/page-links.ts';

/** A refresh after longer than this is a page that goes on by itself, not a redirect. Whoever reads a page follows sooner ones. */
const longestRefreshSeconds = 10;
/** Longer addresses no server takes. */
export const longestTarget = 64 * 1024;
/** How often a page may lead elsewhere by itself: by a script, a meta refresh, a header. */
export const mostNavigations = 3;

/** Over HTTP an error is the answer, wherever it leads to; a browser goes on, as its reader's would. */
export const mayLeadOn = (status: number): boolean => status < 400;

export const navigationsStopped: Warning = {
  code: 'navigations_stopped',
  message: `The page led elsewhere ${mostNavigations} times by itself, and was stopped when it did so again.`,
};

export interface Refresh {
  seconds: number;
  /** As written; null where the page asks to be loaded again. */
  target: string | null;
}

/** The content of a refresh (`5; url=/there`), header or meta alike, as the HTML standard reads it ("shared declarative refresh steps"). */
export function parseRefresh(content: string): Refresh | null {
  if (content.length > longestTarget) return null;
  const match = /^[\t\n\f\r ]*(?:(\d+)(?:\.[\d.]*)?|\.[\d.]*)(?:$|([;,\t\n\f\r ])([^]*)$)/.exec(content);
  if (match === null) return null;
  const [, digits = '0', separator, after = ''] = match;
  const seconds = Number(digits);
  const rest = (separator === undefined ? '' : separator + after)
    .replace(/^[\t\n\f\r ]*[;,]?[\t\n\f\r ]*/, '')
    .replace(/^url[\t\n\f\r ]*=[\t\n\f\r ]*/i, '');
  if (rest === '') return { seconds, target: null };
  const quote = rest.charAt(0);
  if (quote !== '"' && quote !== "'") return { seconds, target: rest };
  return { seconds, target: rest.slice(1).split(quote, 1)[0] ?? '' };
}

/** The one that comes first, of those that lead elsewhere soon: it leaves the others no time. */
export function soonestRefresh(contents: readonly string[]): (Refresh & { target: string }) | null {
  let soonest: (Refresh & { target: string }) | null = null;
  for (const content of contents) {
    const refresh = parseRefresh(content);
    if (refresh === null || refresh.seconds > longestRefreshSeconds) continue;
    const { seconds, target } = refresh;
    if (target !== null && (soonest === null || seconds < soonest.seconds)) soonest = { seconds, target };
  }
  return soonest;
}

/**
 * Where the soonest of a page's refreshes leads, its fragment kept; `isSelf` where that is the page again. Null where
 * none leads to a URL that can be followed.
 * @param base what its links are relative to.
 */
export function findRefreshTarget(
  contents: readonly string[],
  base: string,
  url: string,
): { seconds: number; url: string; isSelf: boolean } | null {
  const refresh = soonestRefresh(contents);
  const target = refresh === null ? null : URL.parse(refresh.target, base);
  if (refresh === null || target === null || target.href.length > longestTarget) return null;
  if (resolveLink(target.href, base) === null) return null;
  return { seconds: refresh.seconds, url: target.href, isSelf: target.href === url };
}
