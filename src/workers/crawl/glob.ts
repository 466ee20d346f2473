import { domainToASCII } from 'node:url';
import { plain } from '../addresses/plain-escapes.ts';

type Match = (text: string) => boolean;

/** What a place of the pattern lets by. */
type Token = { kind: 'character'; code: number } | { kind: 'one' | 'star' | 'double-star' };

const slash = 47;

/** What some parts of a URL escape and others do not. */
const sometimesEscaped = /["'<>^`{|}]/g;

/** Escapes alike in patterns and URLs. */
const written = (text: string): string =>
  plain(text).replace(sometimesEscaped, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

function readTokens(pattern: string): Token[] {
  // A URL has these escaped already.
  const escaped = written(pattern.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent));
  // Stars side by side are one: any text, where one of them is double.
  return (escaped.match(/\*+|[^]/g) ?? []).map((text) => {
    if (text.startsWith('*')) return { kind: text === '*' ? 'star' : 'double-star' };
    return text === '?' ? { kind: 'one' } : { kind: 'character', code: text.charCodeAt(0) };
  });
}

/** A set of places in the pattern: a bit for each. */
type Places = Int32Array;

function placesOf(tokens: readonly Token[], isIn: (token: Token) => boolean): Places {
  const places = new Int32Array((tokens.length >>> 5) + 1);
  tokens.forEach((token, place) => {
    if (isIn(token)) addPlace(places, place);
  });
  return places;
}

function addPlace(places: Places, place: number): void {
  places[place >>> 5] = (places[place >>> 5] ?? 0) | (1 << (place & 31));
}

/**
 * All places of the pattern that the text so far leads to, 32 in one step: each character costs the same, whatever the
 * text and the pattern. A regular expression, or an automaton made as texts need it, could be made to take minutes.
 */
function compile(tokens: readonly Token[]): Match {
  const stars = placesOf(tokens, ({ kind }) => kind === 'star' || kind === 'double-star');
  const doubleStars = placesOf(tokens, ({ kind }) => kind === 'double-star');
  const anyOther = placesOf(tokens, ({ kind }) => kind === 'one');
  const stepsBy = new Map<number, Places>([[slash, placesOf(tokens, () => false)]]);
  tokens.forEach((token, place) => {
    if (token.kind !== 'character') return;
    const steps = stepsBy.get(token.code) ?? anyOther.slice();
    stepsBy.set(token.code, steps);
    addPlace(steps, place);
  });
  const end = tokens.length;
  const length = stars.length;
  return (text) => {
    const places = new Int32Array(length);
    places[0] = 1 | (((stars[0] ?? 0) & 1) << 1);
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const steps = stepsBy.get(code) ?? anyOther;
      const stays = code === slash ? doubleStars : stars;
      let carried = 0;
      let isAlive = 0;
      for (let word = 0; word < length; word++) {
        const here = places[word] ?? 0;
        const stepped = here & (steps[word] ?? 0);
        const reached = (here & (stays[word] ?? 0)) | (stepped << 1) | (carried & 1);
        // A star may stand for nothing: whoever is at it is also behind it.
        const opened = reached & (stars[word] ?? 0);
        const now = reached | (opened << 1) | (carried >>> 1);
        places[word] = now;
        carried = (stepped >>> 31) | ((opened >>> 31) << 1);
        isAlive |= now;
      }
      if (isAlive === 0) return false;
    }
    return ((places[end >>> 5] ?? 0) & (1 << (end & 31))) !== 0;
  };
}

/** A URL as globs are held against it. */
interface WrittenUrl {
  whole: string;
  /** And query. */
  path: string;
}

/**
 * Reads a glob over a URL's path and query (`/blog/**`), or over the whole URL where it holds `://`.
 * `*` stands for any text without a slash, `**` for any text, `?` for one character but a slash.
 */
function parseGlob(pattern: string): (url: WrittenUrl) => boolean {
  const isWhole = pattern.includes('://');
  const matches = compile(readTokens(isWhole ? withWrittenOrigin(pattern) : pattern));
  return ({ whole, path }) => matches(isWhole ? whole : path);
}

/**
 * Whether a URL matches one of `include`, where that is given, and none of `exclude`.
 * Each URL is written out once for all of them.
 */
export function createUrlFilter(include: readonly string[] | undefined, exclude: readonly string[]): Match {
  const included = include?.map(parseGlob);
  const excluded = exclude.map(parseGlob);
  if (included === undefined && excluded.length === 0) return () => true;
  return (url) => {
    const { pathname, search } = new URL(url);
    const one = { whole: written(url), path: written(pathname + search) };
    return (included?.some((matches) => matches(one)) ?? true) && !excluded.some((matches) => matches(one));
  };
}

const defaultPorts = new Map([
  ['http', ':80'],
  ['https', ':443'],
]);

/** As a URL has scheme and host: `https://Bücher.example:443/**`, and with wildcards in them. */
function withWrittenOrigin(pattern: string): string {
  const [, origin = '', path = ''] = /^(https?:\/\/[^/?*@#\\]+)(\/[^]*)?$/i.exec(pattern) ?? [];
  const url = URL.parse(origin);
  if (url !== null) return url.origin + (path === '' ? '/' : path);
  const begin = /^([a-z*]*):\/\/((?:[^/?*]|\*(?!\*))*)/i.exec(pattern);
  if (begin === null) return pattern;
  const [text, scheme = '', host = ''] = begin;
  const rest = pattern.slice(text.length);
  const start = `${scheme.toLowerCase()}://`;
  // Where the host ends is not known.
  if (rest !== '' && !rest.startsWith('/')) return start + host.toLowerCase() + rest;
  const port = defaultPorts.get(scheme.toLowerCase()) ?? '';
  const name = port !== '' && host.endsWith(port) ? host.slice(0, -port.length) : host;
  return start + name.split('.').map(writtenLabel).join('.') + (rest === '' ? '/' : rest);
}

/** Of a host. Nothing can be said of a part of an international one. */
function writtenLabel(label: string): string {
  if (label.includes('*') || /^[\x21-\x7e]*$/.test(label)) return label.toLowerCase();
  // Alone, one of digits would be an address.
  return domainToASCII(`${label}.x`).slice(0, -'.x'.length) || label;
}
