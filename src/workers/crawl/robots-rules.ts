import { isUtf8 } from 'node:buffer';
import { requestTargetOf } from '../../shared/egress/target-url.ts';
import { type Borders, bordersOf, findSubstring } from './find-substring.ts';

/** What a robots.txt says to one crawler. */
export interface RobotRules {
  allows(url: string): boolean;
  /** Seconds between two requests, as it is written; null where nothing is said. */
  delaySeconds: number | null;
  sitemaps: readonly string[];
}

interface Rule {
  isAllowed: boolean;
  /** Of its pattern: its weight against others (RFC 9309, section 2.2.2). */
  length: number;
}

interface WildcardRule extends Rule {
  /** Between its stars. */
  parts: readonly string[];
  borders: readonly Borders[];
  isAnchored: boolean;
}

/** In bytes, as Google reads them: what follows is no part of the line. */
const longestLine = 16_663;
const seconds = /^\d{1,9}(?:\.\d{0,9})?$|^\.\d{1,9}$/;
/** Rules with stars that are looked at one by one, and stars of them all; of further ones the part up to the first star counts. */
const maxWildcards = 1_000;
const maxStars = 10_000;

type Field = 'agent' | 'allow' | 'disallow' | 'delay' | 'sitemap';
/** By how they begin, common slips among them; so does Google's parser, whose order this is. */
const fieldNames: readonly (readonly [Field, RegExp])[] = [
  ['agent', /^user[- ]?agent/],
  ['allow', /^allow/],
  ['disallow', /^(disallow|dissallow|dissalow|disalow|diasllow|disallaw)/],
  ['sitemap', /^site-?map/],
  ['delay', /^crawl-?delay/],
];

/** A robots.txt is read byte by byte, a character of a text each: of white space it knows that of ASCII. */
function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

function readLine(line: string): { field: Field; value: string } | null {
  // A zero byte ends a line too: Google's parser keeps it as a string of C.
  const text = strip(/^[^#\0]*/.exec(line.slice(0, longestLine))?.[0] ?? '');
  let end = text.indexOf(':');
  if (end === -1) {
    // A forgotten colon: two words.
    const words = text.split(/[ \t]+/, 3);
    if (words.length !== 2) return null;
    end = (words[0] ?? '').length;
  }
  const name = strip(text.slice(0, end)).toLowerCase();
  const field = fieldNames.find(([, begins]) => begins.test(name))?.[0];
  return field === undefined ? null : { field, value: strip(text.slice(end + 1)) };
}

/**
 * Bytes that a URL has escaped are escaped here too, in whatever encoding the file is, and hexadecimal digits are upper
 * case in both. An escape that need not be one stays, as in Google's parser, where RFC 9309 (section 2.2.2) undoes it.
 * @param text a character for each byte.
 */
function escape(text: string): string {
  return text
    .replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`)
    .replace(/%[\da-f]{2}/gi, (escaped) => escaped.toUpperCase());
}

/** A text of bytes as the characters that they stand for; what is no UTF-8 stays bytes, escaped. */
function decode(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : escape(text);
}

/** Leftmost is best for each part: in time in proportion to the path. */
function matchesParts(path: string, { parts, borders, isAnchored }: WildcardRule): boolean {
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (let index = 1; index < parts.length - (isAnchored ? 1 : 0); index++) {
    const part = parts[index] ?? '';
    const found = findSubstring(path, part, borders[index] ?? null, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return !isAnchored || (path.length - last.length >= at && path.endsWith(last));
}

/** The heavier rule, of two as heavy the one that allows. */
function heavier(one: Rule | undefined, other: Rule): Rule {
  if (one === undefined || other.length > one.length) return other;
  return one.length > other.length || one.isAllowed ? one : other;
}

/** What of a robots.txt is for one crawler, as it can be handed on. */
export interface RobotsText {
  rules: [isAllowed: boolean, pattern: string][];
  delaySeconds: number | null;
  sitemaps: string[];
}

/** The rules of one group of user agents. */
class RuleSet {
  /** By the length of their text, then by the text. */
  readonly #prefixes = new Map<number, Map<string, Rule>>();
  readonly #whole = new Map<string, Rule>();
  readonly #wildcards: WildcardRule[] = [];
  #stars = 0;

  add(isAllowed: boolean, pattern: string): void {
    const rule = { isAllowed, length: pattern.length };
    const isAnchored = pattern.endsWith('$');
    // A star at the end says what the end of a pattern says anyway.
    const text = isAnchored ? pattern.slice(0, -1) : pattern.slice(0, endOfText(pattern));
    const parts = text.split('*');
    if (parts.length === 1 && isAnchored) this.#whole.set(text, heavier(this.#whole.get(text), rule));
    else if (parts.length === 1) this.#addPrefix(text, rule);
    else if (this.#wildcards.length < maxWildcards && this.#stars + parts.length <= maxStars) {
      this.#stars += parts.length;
      this.#wildcards.push({ ...rule, parts, borders: parts.map(bordersOf), isAnchored });
    } else if (!isAllowed) this.#addPrefix(parts[0] ?? '', rule);
  }

  allows(path: string): boolean {
    let best: Rule = { isAllowed: true, length: 0 };
    for (const [length, rules] of this.#prefixes) {
      const rule = length <= path.length ? rules.get(path.slice(0, length)) : undefined;
      if (rule !== undefined) best = heavier(best, rule);
    }
    best = heavier(best, this.#whole.get(path) ?? best);
    for (const rule of this.#wildcards)
      if (rule.length >= best.length && matchesParts(path, rule)) best = heavier(best, rule);
    return best.isAllowed;
  }

  #addPrefix(text: string, rule: Rule): void {
    const rules = this.#prefixes.get(text.length) ?? new Map<string, Rule>();
    this.#prefixes.set(text.length, rules.set(text, heavier(rules.get(text), rule)));
  }
}

function endOfText(pattern: string): number {
  let end = pattern.length;
  while (pattern[end - 1] === '*') end--;
  return end;
}

/** Whatever follows it in the last segment, an anchor among others. */
const directoryIndex = /\/index\.htm[^/]*$/;

type Group = Pick<RobotsText, 'rules' | 'delaySeconds'>;

/**
 * Reads a robots.txt as RFC 9309 says, and as Google's parser where that says nothing: slips of the pen, groups that
 * come more than once, `index.html` for its directory. Takes time in proportion to the text.
 * @param product the name that site owners can address, letters and hyphens.
 */
export function readRobotsText(body: Uint8Array, product: string): RobotsText {
  const [own, everybody]: [Group, Group] = [
    { rules: [], delaySeconds: null },
    { rules: [], delaySeconds: null },
  ];
  const sitemaps: string[] = [];
  let groups = new Set<Group>();
  let hasOwn = false;
  let hasRules = false;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  // A byte order mark, or as much of one as there is.
  for (const line of text.replace(/^\xef(?:\xbb\xbf?)?/, '').split(/[\r\n]/)) {
    const read = readLine(line);
    if (read === null) continue;
    const { field, value } = read;
    if (field === 'sitemap') {
      if (value !== '') sitemaps.push(decode(value));
    } else if (field === 'agent') {
      if (hasRules) groups = new Set();
      hasRules = false;
      if (/^\*([\t-\r ]|$)/.test(value)) groups.add(everybody);
      else if (/^[a-z_-]*/i.exec(value)?.[0].toLowerCase() === product.toLowerCase()) {
        groups.add(own);
        hasOwn = true;
      }
    } else {
      // Of what RFC 9309 does not name, nothing ends a group (section 2.2.4); so reads Google's parser.
      hasRules ||= field !== 'delay';
      for (const group of groups) addRule(group, field, value);
    }
  }
  return { ...(hasOwn ? own : everybody), sitemaps };
}

/** Asking about a URL takes time in proportion to the URL and at most a thousand rules. */
export function createRobotRules({ rules, delaySeconds, sitemaps }: RobotsText): RobotRules {
  const set = new RuleSet();
  for (const [isAllowed, pattern] of rules) set.add(isAllowed, pattern);
  return {
    allows(url) {
      return set.allows(escape(requestTargetOf(new URL(url))));
    },
    delaySeconds,
    sitemaps,
  };
}

export const parseRobots = (text: string, product: string): RobotRules =>
  createRobotRules(readRobotsText(Buffer.from(text), product));

function addRule(group: Group, field: 'allow' | 'disallow' | 'delay', value: string): void {
  if (field === 'delay') {
    if (seconds.test(value)) group.delaySeconds ??= Number(value);
    return;
  }
  const pattern = escape(value);
  if (pattern === '') return;
  group.rules.push([field === 'allow', pattern]);
  // Who allows the page of a directory allows the directory.
  if (field === 'allow' && directoryIndex.test(pattern))
    group.rules.push([true, pattern.replace(directoryIndex, '/$')]);
}
