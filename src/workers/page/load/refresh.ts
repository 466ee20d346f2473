/** A refresh after longer than this is a page that reloads itself, not a redirect. */
const longestRefreshSeconds = 10;

export interface Refresh {
  seconds: number;
  /** As written; null where the page asks to be loaded again. */
  target: string | null;
}

/** The content of a refresh (`5; url=/there`), header or meta alike, as the HTML standard reads it ("shared declarative refresh steps"). */
export function parseRefresh(content: string): Refresh | null {
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
