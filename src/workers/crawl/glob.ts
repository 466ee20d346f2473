/**
 * Reads a glob over a URL's path and query (`/blog/**`), or over the whole URL where it holds `://`.
 * `*` stands for any text without a slash, `**` for any text, `?` for one character but a slash. Matching takes
 * time in proportion to pattern and text, whatever the pattern: a regular expression could be made to hang.
 */
export function parseGlob(pattern: string): (url: string) => boolean {
  // A URL has these written out already.
  const written = pattern.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  const tokens = written.match(/\*\*|[^]/g) ?? [];
  const isWhole = pattern.includes('://');
  return (url) => {
    const text = isWhole ? url : withoutOrigin(url);
    let states = new Set([0]);
    openStars(states, tokens);
    for (const character of text) {
      const next = new Set<number>();
      for (const state of states) {
        const token = tokens[state];
        if (token === '**' || (token === '*' && character !== '/')) next.add(state);
        else if (token === character || (token === '?' && character !== '/')) next.add(state + 1);
      }
      openStars(next, tokens);
      states = next;
      if (states.size === 0) return false;
    }
    return states.has(tokens.length);
  };
}

/** A star may stand for nothing: whoever is at it is also behind it. */
function openStars(states: Set<number>, tokens: readonly string[]): void {
  for (const state of states) if (tokens[state]?.startsWith('*')) states.add(state + 1);
}

function withoutOrigin(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
