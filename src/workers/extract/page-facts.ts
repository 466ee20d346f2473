import { type Document, type Element, isText } from 'domhandler';
import { jsonrepair } from 'jsonrepair';
import type { Head } from '../page/html/head.ts';
import { resolveLink } from './addresses.ts';
import { walk } from './walk.ts';

export interface Thing {
  types: string[];
  value: Record<string, unknown>;
  /** How deep it stands in its block of JSON-LD; 0 at the top and in a `@graph`. */
  depth: number;
  /** Stands in what is beside the page's own matter: a comment, an answer, an entry of a list. */
  aside: boolean;
}

/** What of the head of a page its content is read with. */
export type ContentHead = Pick<Head, 'title' | 'base' | 'canonical'>;

/** What a page says about itself outside of its text. */
export interface PageFacts extends ContentHead {
  /** First content of each `<meta>` by its name, property or itemprop, lower case. */
  meta: ReadonlyMap<string, string>;
  metaAll: ReadonlyMap<string, string[]>;
  things: Thing[];
  /** How many items of each type its microdata has. */
  itemTypes: ReadonlyMap<string, number>;
  language: string | null;
  /** The picture that a `link` of it says stands for the page. */
  leadImage: string | null;
  /** Words in the class of `<body>`: content systems tell there what kind of page it is. */
  bodyClass: string;
  headings: { element: Element; level: number }[];
  times: Element[];
  /** How many of them stand before the first `h1`. */
  timesBeforeTitle: number;
  /** Elements that name an author or a date by their attributes. */
  marked: Element[];
  /** Inline scripts, whatever their type. */
  scripts: Element[];
}

const mostThings = 2_000;
const mostMarked = 400;
const deepest = 40;

export const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim();

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Before names that are written out, as RDF allows. */
const schemaPrefix = /"(?:schema:|https?:\/\/schema\.org\/)(?=[A-Za-z]{1,60}")/g;

/** @param left how much of the page may yet be mended. */
function parseJsonLd(text: string, left: { mended: number }): unknown {
  const bare = text
    .replace(/^\s*(?:<!--|\/\*\s*<!\[CDATA\[\s*\*\/|<!\[CDATA\[)/, '')
    .replace(schemaPrefix, '"')
    .replace(/(?:-->|\/\*\s*\]\]>\s*\*\/|\]\]>)\s*(?:;\s*)?$/, '');
  try {
    return JSON.parse(bare);
  } catch {
    try {
      // Line breaks inside of strings are the common fault.
      // eslint-disable-next-line no-control-regex
      return JSON.parse(bare.replace(/[\u0000-\u001f]+/g, ' '));
    } catch {
      return repaired(bare, left);
    }
  }
}

/** Characters of a block, and of all blocks of a page, that are mended: their cost grows with the square of them. */
const mendedAtMost = { block: 20_000, page: 40_000 };

/** What is written with a comma too many, a comment or single quotes; null where it says nothing even so. */
function repaired(text: string, left: { mended: number }): unknown {
  if (text.length > Math.min(mendedAtMost.block, left.mended) || !/^\s*(?:\/[*/]|[[{])/.test(text))
    return null;
  left.mended -= text.length;
  try {
    return JSON.parse(jsonrepair(text));
  } catch {
    return null;
  }
}

const asideNames =
  /^(?:comments?|(?:accepted|suggested)Answer|itemListElement|blogPosts?|hasPart|isPartOf|isBasedOn|mentions|citation|relatedLink|subjectOf|reviews?)$/;

/** Every object with a type, nearest to the top first; without recursion and bounded. */
function readThings(roots: readonly unknown[]): Thing[] {
  const things: Thing[] = [];
  let level = roots.map((value) => ({ value, aside: false }));
  let seen = 0;
  for (let depth = 0; depth < deepest && level.length > 0 && seen < mostThings; depth++) {
    const below: typeof level = [];
    const graphs: typeof level = [];
    for (let at = 0; at < level.length && seen < mostThings; at++) {
      const { value, aside } = level[at] as (typeof level)[number];
      if (Array.isArray(value)) {
        level.push(...value.slice(0, mostThings).map((one: unknown) => ({ value: one, aside })));
      } else if (isRecord(value)) {
        seen++;
        const types = [value['@type']].flat().filter((type) => typeof type === 'string');
        if (types.length > 0) things.push({ types, value, depth, aside });
        for (const [name, part] of Object.entries(value)) {
          if (typeof part !== 'object' || part === null) continue;
          if (name === '@graph') graphs.push({ value: part, aside });
          else below.push({ value: part, aside: aside || asideNames.test(name) });
        }
      }
      if (at === level.length - 1 && graphs.length > 0) level.push(...graphs.splice(0));
    }
    level = below;
  }
  return things;
}

/** A `time`, or a custom element that shows one in the reader's own words: `relative-time`, `time-ago`. */
function isTime({ name, attribs }: Element): boolean {
  if (name === 'time') return true;
  return name.includes('-') && /time|date/.test(name) && momentOf(attribs) !== undefined;
}

/** The moment that such an element states. */
export const momentOf = (attribs: Element['attribs']): string | undefined =>
  attribs['datetime'] ?? attribs['timestamp'] ?? attribs['ts'];

/** Where sites keep what they say of a writer. */
export const authorPath =
  /\/(?:authors?|contributors?|writers?|columnists?|reporters?|journalists?|staff|autor(?:en)?|auteurs?)\/[^/?#]+\/?$/i;
/** Where they keep what they say of a member. */
export const userPath =
  /\/(?:(?:users?|members?|profiles?|u)\/[^/?#]|user-?\d)|(?:^|\/)(?:users?|members?|profiles?)(?:\.\w{2,5})?\?(?:id|u|uid|name|user)=[^&#]/i;
const markedBy = /author|byline|date|publish|time|writer|posted/i;

export function readFacts(root: Document, { title, base, canonical }: ContentHead): PageFacts {
  const meta = new Map<string, string>();
  const metaAll = new Map<string, string[]>();
  const json: unknown[] = [];
  const left = { mended: mendedAtMost.page };
  let language: string | null = null;
  let leadImage: string | null = null;
  let bodyClass = '';
  const headings: PageFacts['headings'] = [];
  const times: Element[] = [];
  let timesBeforeTitle = 0;
  const marked: Element[] = [];
  const scripts: Element[] = [];
  const itemTypes = new Map<string, number>();

  function readMeta({ attribs }: Element): void {
    const content = attribs['content'];
    if (content === undefined || content.trim() === '') return;
    for (const attribute of ['property', 'name', 'itemprop', 'http-equiv']) {
      const name = attribs[attribute]?.trim().toLowerCase();
      if (name === undefined || name === '') continue;
      const all = metaAll.get(name);
      if (all === undefined) {
        metaAll.set(name, [content.trim()]);
        meta.set(name, content.trim());
      } else if (all.length < 50) all.push(content.trim());
    }
  }

  function readLink({ attribs }: Element): void {
    if (/(?:^|\s)image_src(?:\s|$)/i.test(attribs['rel'] ?? ''))
      leadImage ??= resolveLink(attribs['href'], base);
  }

  walk(
    root,
    (element) => {
      const { name: tag, attribs } = element;
      switch (tag) {
        case 'html':
          language ??= attribs['lang']?.trim() || attribs['xml:lang']?.trim() || null;
          return true;
        case 'body':
          language ??= attribs['lang']?.trim() || null;
          bodyClass = `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`.slice(0, 2_000);
          return true;
        case 'svg':
          return true;
        case 'base':
        case 'title':
          return false;
        case 'meta':
          readMeta(element);
          return false;
        case 'link':
          readLink(element);
          return false;
        case 'script':
          if (/^\s*application\/ld\+json\s*(?:;|$)/i.test(attribs['type'] ?? '') && json.length < 100) {
            json.push(parseJsonLd(ownText(element), left));
          } else if (attribs['src'] === undefined && scripts.length < mostMarked) scripts.push(element);
          return false;
        default:
      }
      const itemType = attribs['itemtype']
        ?.slice(0, 200)
        .trim()
        .replace(/^.*[/#]/, '');
      if (itemType !== undefined) itemTypes.set(itemType, (itemTypes.get(itemType) ?? 0) + 1);
      if (isTime(element) && times.length < mostMarked) times.push(element);
      if (/^h[1-6]$/.test(tag) && headings.length < mostMarked) {
        if (tag === 'h1' && !headings.some(({ level }) => level === 1)) timesBeforeTitle = times.length;
        headings.push({ element, level: Number(tag[1]) });
      }
      if (marked.length < mostMarked) {
        const isAuthorLink = tag === 'a' && authorPath.test(attribs['href']?.slice(0, 500) ?? '');
        const names = `${attribs['class'] ?? ''} ${attribs['itemprop'] ?? ''} ${attribs['rel'] ?? ''} ${attribs['id'] ?? ''} ${attribs['data-testid'] ?? ''} ${attribs['property'] ?? ''}`;
        if (isAuthorLink || (names.length > 5 && markedBy.test(names.slice(0, 500)))) marked.push(element);
      }
      return true;
    },
    () => undefined,
    () => undefined,
  );
  const things = readThings(json);
  const named = {
    title: title || null,
    meta,
    metaAll,
    things,
    language,
    base,
    canonical,
    leadImage,
    bodyClass,
  };
  return { ...named, itemTypes, headings, times, timesBeforeTitle, marked, scripts };
}

export function ownText(element: Element): string {
  return element.children.map((child) => (isText(child) ? child.data : '')).join('');
}

/** Within so many elements it is asked for: some hundreds are, which may stand one in the other. */
const mostWithin = 5_000;

/** All text of an element, white space collapsed, at most so many characters of it, and of so many elements. */
export function textOf(element: Element, most = 2_000, within = mostWithin): string {
  const parts: string[] = [];
  let left = most;
  let seen = 0;
  const add = (text: string): void => {
    parts.push(text.slice(0, left));
    left -= text.length;
  };
  walk(
    element,
    ({ name, attribs, children }) => {
      // A formula that was left as TeX has no text of its own.
      if (left > 0 && name === 'math' && children.length === 0) add(attribs['alttext'] ?? '');
      if (++seen > within) return false;
      return left > 0 && name !== 'script' && name !== 'style' && name !== 'svg' && name !== 'noscript';
    },
    () => undefined,
    ({ data }) => {
      if (left > 0) add(data);
    },
  );
  return collapse(parts.join(' '));
}
