import type { Warning } from '../../../shared/schemas/job.ts';
import { resolveLink } from '../html/resolve-link.ts';

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

/** A refresh that leads to another page soon. */
export interface Leading {
  seconds: number;
  /** Its fragment kept. */
  url: string;
}

/**
 * Where the content of a refresh leads; null where that is nowhere, or after so long that the page is one of its own.
 * @param resolve of an address as written, when the refresh comes: a `<base>` behind it is not for it.
 */
export function readRefresh(content: string, resolve: (target: string) => string | null): Leading | null {
  const refresh = parseRefresh(content);
  if (refresh === null || refresh.target === null || refresh.seconds > longestRefreshSeconds) return null;
  const url = resolve(refresh.target);
  return url === null || url.length > longestTarget ? null : { seconds: refresh.seconds, url };
}

/** The one that comes first leaves the others no time. */
export function soonestRefresh(refreshes: readonly (Leading | null)[]): Leading | null {
  let soonest: Leading | null = null;
  for (const refresh of refreshes)
    if (refresh !== null && (soonest === null || refresh.seconds < soonest.seconds)) soonest = refresh;
  return soonest;
}

/** As `resolveLink`, the fragment kept. */
export function resolveTarget(target: string, base: string, charset: string | null = null): string | null {
  const url = resolveLink(target, base, charset);
  return url && url + (URL.parse(target, base)?.hash ?? '');
}
