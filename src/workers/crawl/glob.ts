type Match = (text: string) => boolean;

/** What a place of the pattern lets by. */
type Token = { kind: 'character'; code: number } | { kind: 'one' | 'star' | 'double-star' };

/** A set of places in the pattern, and where each character leads from there. */
interface State {
  places: readonly number[];
  isEnd: boolean;
  next: Map<number, State>;
}

const slash = 47;
/** States that are remembered: a pattern of many `?` can have more than there are atoms. */
const rememberedStates = 2_000;

function readTokens(pattern: string): Token[] {
  // A URL has these written out already.
  const written = pattern.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  return (written.match(/\*\*|[^]/g) ?? []).map((text) => {
    if (text === '**') return { kind: 'double-star' };
    if (text === '*') return { kind: 'star' };
    return text === '?' ? { kind: 'one' } : { kind: 'character', code: text.charCodeAt(0) };
  });
}

/** A star may stand for nothing: whoever is at it is also behind it. */
function openStars(places: Set<number>, tokens: readonly Token[]): number[] {
  for (const place of places) {
    const kind = tokens[place]?.kind;
    if (kind === 'star' || kind === 'double-star') places.add(place + 1);
  }
  return [...places].sort((a, b) => a - b);
}

function step(places: readonly number[], code: number, tokens: readonly Token[]): number[] {
  const next = new Set<number>();
  for (const place of places) {
    const token = tokens[place];
    if (token === undefined) continue;
    if (token.kind === 'character' ? token.code === code : token.kind === 'one' && code !== slash)
      next.add(place + 1);
    else if (token.kind === 'double-star' || (token.kind === 'star' && code !== slash)) next.add(place);
  }
  return openStars(next, tokens);
}

/**
 * A deterministic automaton, made as texts need it: after the first texts each character costs one look-up, whatever the
 * pattern. A regular expression, or all places of the pattern for each character, could be made to take minutes.
 */
function compile(tokens: readonly Token[]): Match {
  let states = new Map<string, State>();
  function stateOf(places: readonly number[]): State {
    const name = places.join();
    let state = states.get(name);
    if (state === undefined) {
      state = { places, isEnd: places.at(-1) === tokens.length, next: new Map() };
      states.set(name, state);
    }
    return state;
  }
  return (text) => {
    if (states.size > rememberedStates) states = new Map();
    let state = stateOf(openStars(new Set([0]), tokens));
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      let next = state.next.get(code);
      if (next === undefined) state.next.set(code, (next = stateOf(step(state.places, code, tokens))));
      if (next.places.length === 0) return false;
      state = next;
    }
    return state.isEnd;
  };
}

/**
 * Reads a glob over a URL's path and query (`/blog/**`), or over the whole URL where it holds `://`.
 * `*` stands for any text without a slash, `**` for any text, `?` for one character but a slash.
 */
export function parseGlob(pattern: string): Match {
  const matches = compile(readTokens(pattern));
  const isWhole = pattern.includes('://');
  return (url) => matches(isWhole ? url : withoutOrigin(url));
}

function withoutOrigin(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
