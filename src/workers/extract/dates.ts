import type { Places } from './aside.ts';
import { changeLine, dateLine, pageChangeLine } from './date-lines.ts';
import { isLikelyDay, months } from './iso-date.ts';
import type { PageBlocks } from './blocks.ts';
import {
  calledDate,
  firstPostDate,
  markedChange,
  markedDate,
  timeInSentence,
  timeNearTitle,
} from './marked-times.ts';
import { isRecord, type PageFacts, type Thing } from './page-facts.ts';
import { isForSale, isOverview, isThread, type PageHints } from './page-kind.ts';
import { scriptDate } from './script-dates.ts';
import type { Shown } from './shown-dates.ts';
import { dateWritingOf, readDate } from './written-date.ts';

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
  'article.published',
  'article:published_date',
  'bt:pubdate',
  'rnews:datepublished',
  'prism.publicationdate',
  'citation_online_date',
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
  'ms.date',
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
const plainNames = publishedNames.filter((name) => /publish|^ms\.date$/.test(name));
const datesOfThings = ['datePublished', 'dateCreated', 'uploadDate', 'datePosted'];
const modifiedNames = [
  'article:modified_time',
  'og:updated_time',
  'article:modified',
  'article.updated',
  'prism.modificationdate',
  'datemodified',
  'last-modified',
  'lastmod',
  'dcterms.modified',
  'dc.date.modified',
  'modified',
  'revised',
];

/** The path that an address names, undefined where it names none or the front page of a site. */
function pathOf(address: unknown): string | undefined {
  if (typeof address !== 'string') return undefined;
  const path = /^https?:\/\/[^/?#]+\/([^?#]*)/i.exec(address)?.[1]?.replace(/\/$/, '').toLowerCase();
  return path === '' ? undefined : path;
}

/** Whether it says that it is another page, by its address and its headline. */
function isElsewhere(
  { value }: Thing,
  paths: ReadonlySet<string | undefined>,
  title: string | null,
): boolean {
  const page = value['mainEntityOfPage'];
  const stated = [value['url'], page, isRecord(page) ? page['@id'] : undefined].map(pathOf);
  if (stated.every((path) => path === undefined || paths.has(path))) return false;
  const headline = value['headline'] ?? value['name'];
  return typeof headline !== 'string' || title === null || !title.startsWith(headline.trim());
}

const isBare = ({ types }: Thing): boolean => types.every((type) => /^WebPage$|^CreativeWork$/.test(type));

/** @param kinds whether a page that is of no kind in particular counts. */
function fromThings(
  { facts, writing }: Shown,
  url: string,
  names: readonly string[],
  kinds: 'all' | 'particular' = 'all',
): string | null {
  const paths = new Set([url, facts.canonical].map(pathOf));
  const found = facts.things.flatMap((thing) => {
    const { types, value, aside } = thing;
    if (aside || !types.some((type) => works.test(type)) || (kinds === 'particular' && isBare(thing)))
      return [];
    const date = firstOf(names, (name) => readDate(value[name], writing));
    return date === null ? [] : [{ thing, date, elsewhere: isElsewhere(thing, paths, facts.title) }];
  });
  // Many that are other pages are a list.
  if (found.every(({ elsewhere }) => elsewhere) && new Set(found.map(({ date }) => date)).size >= 3)
    return null;
  const [first] = found.toSorted(
    (a, b) =>
      Number(a.elsewhere) - Number(b.elsewhere) ||
      a.thing.depth - b.thing.depth ||
      Number(isBare(a.thing)) - Number(isBare(b.thing)),
  );
  return first?.date ?? null;
}

function firstOf<T>(list: readonly T[], read: (one: T) => string | null): string | null {
  for (const one of list) {
    const found = read(one);
    if (found !== null) return found;
  }
  return null;
}

const fromMeta = ({ facts, writing }: Shown, names: readonly string[]): string | null =>
  firstOf(names, (name) => readDate(facts.meta.get(name), writing));

const separatedDay =
  /[/-](20\d\d|19\d\d)[/-](0?[1-9]|1[0-2]|[a-z]{3,9})[/-](0?[1-9]|[12]\d|3[01])(?:[/.-]|$)/i;
/** Eight digits may be any number. */
const compactDay = /[/_-](20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:[/_.-]|$)/;

function dayIn(address: string, form: RegExp): string | null {
  const match = form.exec(address);
  if (match === null) return null;
  const [, year, month = '', day = ''] = match;
  const named = months.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  const date = `${year}-${(named > 0 ? String(named) : month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isLikelyDay(date) ? date : null;
}

/**
 * When it was published: what the page declares, and of what somebody wrote the day that its text tells (a product or a
 * service has none). Where readers are told the day of its last change alone, that is it.
 * @param place.titleAt the block of the title; dates beside it are the page's.
 * @param place.isWritten whether somebody wrote it, so that the days in its text count.
 */
export function findDates(
  facts: PageFacts,
  hints: PageHints,
  url: string,
  page: PageBlocks,
  { titleAt, places, isWritten }: { titleAt: number; places: Places; isWritten: boolean },
): PageDates {
  const { meta } = facts;
  const { blocks } = page;
  const writing = dateWritingOf(
    facts.language ?? meta.get('content-language') ?? meta.get('og:locale') ?? null,
  );
  const isPosted = isThread(hints) && !isTopic(hints, url);
  const shown: Shown = { facts, blocks, titleAt, writing, isThread: isPosted, ...places };
  const withAsides: Shown = { ...shown, isAside: places.isOfOthers };
  const change = changeLine(shown);
  const modifiedAt =
    fromThings(shown, url, ['dateModified']) ??
    fromMeta(shown, modifiedNames) ??
    markedChange(shown) ??
    change ??
    pageChangeLine(shown);
  if (isManual(hints, url)) return { publishedAt: null, modifiedAt };
  if (!isWritten || isOverview(hints, url)) {
    const isOffered = hints.pathSold === 1 || isForSale(hints, page);
    const stated = fromThings(shown, url, ['datePosted']) ?? fromMeta(shown, plainNames);
    return { publishedAt: isOffered ? null : stated, modifiedAt };
  }
  const kept = isKept(facts, hints);
  const publishedAt =
    fromThings(shown, url, datesOfThings, kept ? 'particular' : 'all') ??
    (kept ? null : fromMeta(shown, publishedNames)) ??
    (shown.isThread ? firstPostDate(shown) : null) ??
    markedDate(shown) ??
    dayIn(url, separatedDay) ??
    timeNearTitle(shown) ??
    dateLine(shown) ??
    timeInSentence(shown) ??
    dayIn(URL.parse(url)?.pathname ?? '', compactDay) ??
    markedDate(withAsides) ??
    timeNearTitle(withAsides) ??
    dateLine(withAsides) ??
    change ??
    calledDate(shown) ??
    calledDate(withAsides) ??
    scriptDate(facts.scripts, { title: facts.title, heading: blocks[titleAt]?.text, url });
  return { publishedAt, modifiedAt };
}

/** Whether `/topics/` in its address leads to what is written about a subject, not to a thread. */
function isTopic(hints: PageHints, url: string): boolean {
  if (hints.forum + hints.question >= 1) return false;
  return hints.pathList === 1 && /\/topics?\/(?!\d)/i.test(URL.parse(url)?.pathname ?? '');
}

const ofVersion =
  /\/(?:docs?|documentation|manual|reference|api)\/(?:v?\d{1,3}(?:\.\d+)*|current|latest|stable)\//i;

/** Whether it is a manual that names no writer: it states when it was made from its source, above all one of a version. */
function isManual(hints: PageHints, url: string): boolean {
  if (hints.pathDocs === 0 || hints.article + hints.docs + hints.hasAuthor >= 1 || isThread(hints))
    return false;
  const written = hints.ogArticle + hints.pathArticle + hints.pathDated;
  return written < 1 || ofVersion.test(URL.parse(url)?.pathname ?? '');
}

/**
 * Whether a content system only keeps it, as it does any page that is no post, and states the day on which that was
 * stored: it tells changes and no publication, or calls it a page in the class of `body`, as WordPress does.
 */
function isKept({ meta, bodyClass }: PageFacts, hints: PageHints): boolean {
  if (hints.article >= 1) return false;
  if (/(?:^|\s)page-id-\d/.test(bodyClass)) return true;
  return meta.has('article:modified_time') && !meta.has('article:published_time');
}
