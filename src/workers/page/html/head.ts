import { type Leading, longestTarget, readRefresh, resolveTarget, soonestRefresh } from '../load/refresh.ts';
import { createResolver, type LinkResolver, resolveLink } from './resolve-link.ts';
import { robotsSay } from './robots-directives.ts';
import type { HtmlHandlers } from './scan-html.ts';
import { scanTags } from './scan-tags.ts';
import { UnseenElements } from './unseen-elements.ts';
import { boundTitle } from './title.ts';

/** What is known of a page beside its markup. */
export interface HeadSource {
  /** Where it came from. */
  url: string;
  /** Its response headers, names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** As WHATWG calls it; null where it is not known. */
  charset: string | null;
}

/**
 * What a page says of itself as a whole: its headers, and its markup wherever it stands, but for templates (declared
 * shadow roots among them), SVG and MathML.
 */
export interface Head {
  /** Of the first `<title>`, white space collapsed; null where there is none. */
  title: string | null;
  /** What its links are relative to. */
  base: string;
  /** Absolute, http or https, without fragment; the `Link` header comes before the markup. */
  canonical: string | null;
  /** All `<meta name=robots>`, joined by commas. */
  robots: string | null;
  /** False where its robots meta, one for `quarry`, or `X-Robots-Tag` asks not to follow its links. */
  follows: boolean;
  /** True where one of these asks to be in no index. */
  noindex: boolean;
  /** Where the soonest refresh leads; `isSelf` where that is the page again. */
  refresh: (Leading & { isSelf: boolean }) | null;
}

export interface HeadReader extends HtmlHandlers {
  /** As `resolveLink`, by the `<base>` that stands before. */
  resolve: LinkResolver;
  /** The `<base>` that stands before, or else where the page came from. */
  base(): string;
  /** Whether what comes by is in an element that keeps it from being of the page itself: `template`, `svg` or `math`. */
  isUnseen(): boolean;
  head(): Head;
  /** Whether there was a refresh, wherever it leads and whenever. */
  hasRefresh(): boolean;
}

/** Tags that a head reader has to be told. */
export const headTags = ['base', 'link', 'math', 'meta', 'svg', 'template', 'title'];

const noAttributes: ReadonlyMap<string, string> = new Map();
const mostRobots = 20;
const mostRefreshes = 100;
const longestRobots = 10_000;
const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

export function createHeadReader({ url, headers, charset }: HeadSource): HeadReader {
  const unseen = new UnseenElements(['math', 'svg', 'template'], []);
  let base = url;
  let hasBase = false;
  let resolve = createResolver(url, charset);
  let title: string | null = null;
  let titleText: string | null = null;
  let canonical = canonicalOfHeader(headers['link'] ?? '', url);
  const robots = new Set<string>();
  let follows = !robotsSay(headers['x-robots-tag'], 'nofollow');
  let noindex = robotsSay(headers['x-robots-tag'], 'noindex');
  let soonest: Leading | null = null;
  let refreshes = 0;

  function addRefresh(content: string): void {
    if (refreshes++ >= mostRefreshes) return;
    soonest = soonestRefresh([
      soonest,
      readRefresh(content, (target) => resolveTarget(target, base, charset)),
    ]);
  }

  function readMeta(attributes: ReadonlyMap<string, string>): void {
    const content = attributes.get('content') ?? '';
    if (attributes.get('http-equiv')?.toLowerCase() === 'refresh') addRefresh(content);
    const name = ['name', 'property']
      .map((key) => attributes.get(key)?.trim().toLowerCase())
      .find((value) => value === 'robots' || value === 'quarry');
    if (name === undefined) return;
    if (robotsSay(content, 'nofollow')) follows = false;
    if (robotsSay(content, 'noindex')) noindex = true;
    if (name === 'robots' && robots.size < mostRobots && attributes.has('content'))
      robots.add(collapse(content.slice(0, longestRobots).toWellFormed()));
  }

  function readLink(attributes: ReadonlyMap<string, string>): void {
    if (canonical !== null || !/(^|\s)canonical(\s|$)/i.test(attributes.get('rel') ?? '')) return;
    const href = attributes.get('href')?.trim() ?? '';
    if (href !== '' && href.length <= longestTarget) canonical = resolve(href);
  }

  function readBase(href: string): void {
    hasBase = true;
    base = resolveLink(href, url, charset) ?? url;
    resolve = createResolver(base, charset);
  }

  if (headers['refresh'] !== undefined) addRefresh(headers['refresh']);
  return {
    resolve: (href) => resolve(href),
    base: () => base,
    isUnseen: () => unseen.inside !== null,
    onStartTag(name, attributes) {
      // What a shadow root shows is no part of the head.
      unseen.start(name, noAttributes);
      if (unseen.inside !== null) return;
      if (name === 'meta') readMeta(attributes);
      else if (name === 'link') readLink(attributes);
      else if (name === 'title' && title === null) titleText = '';
      else if (name === 'base' && !hasBase && attributes.has('href')) readBase(attributes.get('href') ?? '');
    },
    onText(text) {
      if (titleText !== null) titleText += text;
    },
    onEndTag(name) {
      unseen.end(name);
      if (name !== 'title' || titleText === null) return;
      title = boundTitle(collapse(titleText));
      titleText = null;
    },
    hasRefresh: () => refreshes > 0,
    head() {
      const refresh = soonest && { ...soonest, isSelf: soonest.url === url };
      const allRobots = robots.size === 0 ? null : [...robots].join(', ');
      // One that nobody closes ends with the page.
      const first = title ?? (titleText === null ? null : boundTitle(collapse(titleText)));
      return { title: first, base, canonical, robots: allRobots, follows, noindex, refresh };
    },
  };
}

const tags = new Set(headTags);
const textIn = new Set(['title']);

export function readHead(html: string, source: HeadSource): Head {
  const reader = createHeadReader(source);
  scanTags(html, { ...reader, tags, textIn });
  return reader.head();
}

/** A target, a parameter or a quoted text of a `Link` header (RFC 8288). */
const linkPart =
  /<([^<>]*)>|;\s*([^\s=;,<>"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;,"]*)))?|"(?:[^"\\]|\\.)*"?/g;
const longestLink = 8_192;

/** Servers send some hundred characters, which are read for each reader of a page. */
const longestHeader = 16 * 1024;

interface HeaderLink {
  target: string;
  parameters: Map<string, string> | null;
}

/** Of the links that are of the whole page, not of a part of it or another: the first. */
function canonicalOfHeader(header: string, base: string): string | null {
  let link: HeaderLink | null = null;
  for (const [, target, name, quoted, plain = ''] of header.slice(0, longestHeader).matchAll(linkPart)) {
    if (target !== undefined) {
      const found = link && canonicalOfLink(link, base);
      if (found !== null) return found;
      link = { target, parameters: null };
    } else if (name !== undefined && link !== null) {
      link.parameters ??= new Map();
      const key = name.toLowerCase();
      if (!link.parameters.has(key)) link.parameters.set(key, quoted ?? plain);
    }
  }
  // What has been cut may not be all of a link.
  return link && header.length <= longestHeader ? canonicalOfLink(link, base) : null;
}

function canonicalOfLink({ target, parameters }: HeaderLink, base: string): string | null {
  const relations = parameters?.get('rel')?.toLowerCase().split(/\s+/) ?? [];
  const isCanonical = relations.includes('canonical') && parameters?.has('anchor') === false;
  return isCanonical && target.length <= longestLink ? resolveLink(target, base) : null;
}
