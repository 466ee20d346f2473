import { type Element, isTag, isText } from 'domhandler';
import type { Block } from './blocks.ts';
import { isLikelyDay, readIsoDate } from './iso-date.ts';
import type { PageFacts } from './page-facts.ts';
import { momentOf, textOf } from './page-facts.ts';
import { isForSale, isThread, isWritten, type PageHints } from './page-kind.ts';
import { type DateWriting, dateWritingOf, readWrittenDate } from './written-date.ts';

export interface PageDates {
  publishedAt: string | null;
  modifiedAt: string | null;
}

const works =
  /Article$|Posting$|^Report$|^Review$|^Recipe$|^Question$|^QAPage$|^VideoObject$|^HowTo$|^Book$|^WebPage$|^ItemPage$|^CreativeWork$|^Course$|^Event$|Episode$/;
const publishedNames = [
  'article:published_time',
  'og:published_time',
  'og:article:published_time',
  'article:published',
  'datepublished',
  'date.published',
  'publish-date',
  'publish_date',
  'published_date',
  'published-date',
  'publication_date',
  'publicationdate',
  'pubdate',
  'parsely-pub-date',
  'sailthru.date',
  'cxenseparse:recs:publishtime',
  'dc.date.issued',
  'dcterms.issued',
  'dcterms.created',
  'dc.date',
  'dcterms.date',
  'dc.date.created',
  'citation_publication_date',
  'citation_date',
  'originalpublicationdate',
  'article_date_original',
  'date',
  'datecreated',
  'created',
  'release_date',
];
/** Names that say nothing else: content systems put the others on whatever they store. */
const plainNames = publishedNames.filter((name) => name.includes('publish'));
const modifiedNames = [
  'article:modified_time',
  'og:updated_time',
  'article:modified',
  'datemodified',
  'last-modified',
  'lastmod',
  'dcterms.modified',
  'dc.date.modified',
  'modified',
  'revised',
];

/** The day a text names first, or the moment where it is in the standard's form; years from 1990 to next year only. */
function readDate(value: unknown, writing: DateWriting): string | null {
  if (typeof value !== 'string') return null;
  const text = value.trim().slice(0, 80);
  const iso = readIsoDate(text);
  return iso === undefined ? readWrittenDate(text, writing) : iso;
}

function fromThings(facts: PageFacts, writing: DateWriting, names: readonly string[]): string | null {
  const found = facts.things.filter(({ types }) => types.some((type) => works.test(type)));
  const rank = (types: readonly string[]): number =>
    types.some((type) => /^WebPage$|^CreativeWork$/.test(type)) ? 1 : 0;
  for (const { value } of found.toSorted((a, b) => a.depth - b.depth || rank(a.types) - rank(b.types))) {
    for (const name of names) {
      const date = readDate(value[name], writing);
      if (date !== null) return date;
    }
  }
  return null;
}

function fromMeta(facts: PageFacts, writing: DateWriting, names: readonly string[]): string | null {
  for (const name of names) {
    const date = readDate(facts.meta.get(name), writing);
    if (date !== null) return date;
  }
  return null;
}

const names = ({ attribs }: Element): string =>
  `${attribs['class'] ?? ''} ${attribs['itemprop'] ?? ''} ${attribs['id'] ?? ''}`.toLowerCase();
const stated = (element: Element, writing: DateWriting): string | null =>
  readDate(momentOf(element.attribs) ?? element.attribs['content'] ?? element.attribs['title'], writing) ??
  readDate(textOf(element, 120), writing);

function fromElements(facts: PageFacts, writing: DateWriting): string | null {
  const published = /publish|pubdate|posted|entry-date|dateCreated/i;
  const updated = /updat|modif/i;
  const marked = [...facts.times, ...facts.marked];
  for (const element of marked) {
    if (!published.test(names(element)) || (updated.test(names(element)) && element.name !== 'time'))
      continue;
    const date = stated(element, writing);
    if (date !== null) return date;
  }
  return null;
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

function fromUrl(url: string): string | null {
  const match =
    /[/-](20\d\d|19\d\d)[/-](0?[1-9]|1[0-2]|[a-z]{3,9})[/-](0?[1-9]|[12]\d|3[01])(?:[/-]|$)/i.exec(url);
  if (match === null) return null;
  const [, year, month = '', day = ''] = match;
  const named = months.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  const date = `${year}-${(named > 0 ? String(named) : month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isLikelyDay(date) ? date : null;
}

/** The first element that is called a date by its class alone. */
function fromDateElement(facts: PageFacts, writing: DateWriting): string | null {
  const element = facts.marked.find((one) => /(?:^|\s)(?:\w+[-_])?date(?:\s|$)/.test(names(one)));
  const [text = ''] = element === undefined ? [] : textOf(element, 120).split(changed, 1);
  return readDate(text, writing);
}

const reach = 25;

/** A line beside the title that is hardly more than a date. */
function fromLines(blocks: readonly Block[], around: number, writing: DateWriting): string | null {
  if (around < 0) return null;
  const near = blocks.slice(Math.max(0, around - 8), around + reach);
  for (const wanted of [/publish|posted|date|veröffentlicht|publié/i, /./]) {
    for (const { text } of near) {
      if (text.length > 120 || !wanted.test(text) || /^©|copyright/i.test(text)) continue;
      // Behind these words stands the day of a change.
      const date = readWrittenDate(text.split(changed, 1)[0] ?? '', writing);
      if (date !== null) return date;
    }
  }
  return null;
}

/**
 * When it was published: what the page declares, and of what somebody wrote the day that its text tells (a product or a
 * service has none). Where the page states the day of its last change alone, that is it.
 * @param titleAt the block of the title; dates beside it are the page's.
 */
export function findDates(
  facts: PageFacts,
  hints: PageHints,
  url: string,
  blocks: readonly Block[],
  titleAt: number,
): PageDates {
  const { meta } = facts;
  const writing = dateWritingOf(
    facts.language ?? meta.get('content-language') ?? meta.get('og:locale') ?? null,
  );
  const modifiedAt =
    fromThings(facts, writing, ['dateModified']) ??
    fromMeta(facts, writing, modifiedNames) ??
    changedNear(blocks, titleAt, writing);
  if (!isWritten(hints) || isOverview(hints, url)) {
    return { publishedAt: isForSale(hints) ? null : fromMeta(facts, writing, plainNames), modifiedAt };
  }
  const publishedAt =
    fromThings(facts, writing, ['datePublished', 'dateCreated', 'uploadDate']) ??
    fromMeta(facts, writing, publishedNames) ??
    (isThread(hints) ? firstPost(facts, blocks, titleAt, writing) : null) ??
    fromElements(facts, writing) ??
    fromUrl(url) ??
    nearTitle(facts, blocks, titleAt, writing) ??
    fromLines(blocks, titleAt, writing) ??
    fromDateElement(facts, writing) ??
    modifiedAt;
  return { publishedAt, modifiedAt };
}

/**
 * Whether the page shows what there is, of a shop, a service or a section of a magazine: content systems call whatever
 * they store an article, and state the day on which it was stored.
 */
function isOverview(hints: PageHints, url: string): boolean {
  if (hints.pathSold === 1 && hints.pathArticle + hints.pathDated === 0) return true;
  if (hints.article >= 1) return false;
  return /\/(?:blog|news|articles|stories|posts|magazine|insights|guides)\/?$/i.test(
    URL.parse(url)?.pathname ?? '',
  );
}

/** A thread begins with its first post: the first time from its title on. */
function firstPost(
  facts: PageFacts,
  blocks: readonly Block[],
  titleAt: number,
  writing: DateWriting,
): string | null {
  const { times, timesBeforeTitle } = facts;
  const known = new Set<unknown>(times);
  for (const { nodes } of titleAt < 0 ? [] : blocks.slice(titleAt, titleAt + reach)) {
    for (const node of nodes) {
      for (let up = node.parent, n = 0; up !== null && n < 3; up = up.parent, n++) {
        const date = known.has(up) && isTag(up) ? readDate(momentOf(up.attribs), writing) : null;
        if (date !== null) return date;
      }
    }
  }
  return readDate(momentOf(times[timesBeforeTitle]?.attribs ?? {}), writing);
}

const changed =
  /\b(?:updated|modified|last (?:changed|edited|reviewed)|aktualisiert|mis à jour|actualizado|aggiornato|atualizado|bijgewerkt|uppdaterad)\b/i;

function changedNear(blocks: readonly Block[], titleAt: number, writing: DateWriting): string | null {
  for (const { text } of blocks.slice(Math.max(0, titleAt - 8), Math.max(0, titleAt) + reach)) {
    const at = text.length > 200 ? -1 : text.search(changed);
    const date = at < 0 ? null : readWrittenDate(text.slice(at, at + 80), writing);
    if (date !== null) return date;
  }
  return null;
}

/** Whether the words before it say that it is the day of a change. */
function isChange(element: Element, writing: DateWriting): boolean {
  for (let before = element.prev, n = 0; before !== null && n < 3; before = before.prev, n++) {
    const text = isTag(before) ? textOf(before, 200) : isText(before) ? before.data.trim().slice(-200) : '';
    if (text !== '') return changed.test(text) && readWrittenDate(text, writing) === null;
  }
  const { parent } = element;
  return parent !== null && isTag(parent) && changed.test(textOf(parent, 40));
}

/** The only `time` of the page, or the first at the title. */
function nearTitle(
  facts: PageFacts,
  blocks: readonly Block[],
  titleAt: number,
  writing: DateWriting,
): string | null {
  const own = facts.times.filter(
    (element) => !/comment|relat|sidebar|updat|modif/.test(names(element)) && !isChange(element, writing),
  );
  if (own.length === 1 && own[0] !== undefined) return stated(own[0], writing);
  if (titleAt < 0) return null;
  const near = new Set<unknown>();
  for (const { nodes } of blocks.slice(Math.max(0, titleAt - 6), titleAt + reach)) {
    for (const node of nodes)
      for (let up = node.parent, n = 0; up !== null && n < 3; up = up.parent, n++) near.add(up);
  }
  for (const element of own) {
    if (!near.has(element)) continue;
    const date = stated(element, writing);
    if (date !== null) return date;
  }
  return null;
}
