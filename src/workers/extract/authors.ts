import { type Element, isTag } from 'domhandler';
import type { Places } from './aside.ts';
import { publicationWords } from './change-marks.ts';
import type { Block } from './blocks.ts';
import { holdersOf, isSentence } from './shown-dates.ts';
import { walk } from './walk.ts';
import type { PageFacts, Thing } from './page-facts.ts';
import { authorPath, collapse, isRecord, userPath } from './page-facts.ts';
import { isThread, type PageHints } from './page-kind.ts';
import {
  authorWords,
  clean,
  degrees,
  isProse,
  longestNames,
  noName,
  splitNames,
  statedNames,
  trailing,
  withoutDay,
} from './person-names.ts';
import { bare } from './site-name.ts';

const creative = /Article$|Posting$|^Report$|^Recipe$|^Question$|^HowTo$|^WebPage$|^CreativeWork$/;
const metaNames = [
  'author',
  'article:author',
  'og:article:author',
  'parsely-author',
  'sailthru.author',
  'dc.creator',
  'dcterms.creator',
  'citation_author',
  'byl',
  'article:author_name',
  'book:author',
];
/** References inside of a page's structured data are by id. */
function resolveReferences(value: unknown, things: readonly Thing[]): unknown {
  const list = Array.isArray(value) ? value.slice(0, 20) : [value];
  return list.map((one: unknown) => {
    if (!isRecord(one) || one['name'] !== undefined || typeof one['@id'] !== 'string') return one;
    return (
      things.find(({ value: thing }) => thing['@id'] === one['@id'] && thing['name'] !== undefined)?.value ??
      one
    );
  });
}

function fromThings(facts: PageFacts): string[] {
  const works = facts.things.filter(({ types }) => types.some((type) => creative.test(type)));
  for (const { value } of works.filter(({ depth }) => depth <= 1).toSorted((a, b) => a.depth - b.depth)) {
    const names = statedNames(resolveReferences(value['author'] ?? value['creator'], facts.things));
    if (names.length > 0) return names;
  }
  return [];
}

/** A family name of one word, with its particles (`van der Berg`), and a given name behind it. */
const inverted =
  /^((?:(?:van|von|der|den|de|del|della|di|da|dos|la|le|el|al|bin|ter|ten|zu|zur) ){0,3}[^\s,;&|/]{2,40}), ([^,;&|/]{1,40})$/i;
const noGiven = /^(?:jr|sr|i{2,3}|iv|ph\.? ?d|m\.?d|dds|dvm|m\.?sc|b\.?sc|mba|cpa|esq)\b|\b(?:and|und)\b/i;

/** Libraries write the family name first. */
function toDirect(text: string): string[] {
  const [, family, given = ''] = inverted.exec(collapse(text.slice(0, longestNames))) ?? [];
  return family === undefined || noGiven.test(given) ? splitNames(text) : [`${given} ${family}`];
}

function fromMeta(facts: PageFacts): string[] {
  for (const name of metaNames) {
    const names = clean(
      (facts.metaAll.get(name) ?? []).flatMap(name === 'citation_author' ? toDirect : splitNames),
    );
    if (names.length > 0) return names;
  }
  for (const n of ['1', '2']) {
    if (/written by|author|by/i.test(facts.meta.get(`twitter:label${n}`) ?? '')) {
      const names = clean(splitNames(facts.meta.get(`twitter:data${n}`) ?? ''));
      if (names.length > 0) return names;
    }
  }
  return [];
}

const isOf = (element: Element, pattern: RegExp): boolean =>
  pattern.test(
    `${element.attribs['class'] ?? ''} ${element.attribs['itemprop'] ?? ''} ${element.attribs['rel'] ?? ''} ${element.attribs['id'] ?? ''}`,
  );

const label = new RegExp(
  String.raw`^(?:about the author|written|posted|published|by|von|par|por|di|door|av|af|words|te(?:x|ks)ti?|reviewed|story|and|&|contributor|${authorWords}|[^\p{L}\p{N}]*)\s*[:：]?(?: by)?:?$`,
  'iu',
);

/** The first text in an element that is no label. */
function firstText(element: Element): string {
  let found = '';
  let looked = 0;
  walk(
    element,
    ({ name }) => found === '' && looked < 40 && name !== 'script' && name !== 'style' && name !== 'svg',
    () => undefined,
    ({ data }) => {
      const text = collapse(data);
      if (found !== '' || text === '' || looked++ > 40 || label.test(text)) return;
      found = text;
    },
  );
  return found;
}

const elementKinds: readonly ((element: Element) => boolean)[] = [
  (element) => isOf(element, /(?:^|\s)author(?:\s|$)/i),
  (element) => element.name === 'a' && authorPath.test(element.attribs['href'] ?? ''),
  (element) => isOf(element, /byline/i),
  (element) =>
    isOf(element, /author[-_]*(?:box[-_]*)?name|post-?author|article-?author|entry-?author|by-author/i),
];

/** Names that the page's elements mark: `rel=author`, `itemprop=author`, a link to a writer's page, a byline. */
function fromElements(facts: PageFacts, isLeftOut: (element: Element) => boolean): string[] {
  for (const isOne of elementKinds) {
    const names: string[] = [];
    let parent: unknown = null;
    for (const element of facts.marked) {
      if (!isOne(element) || isLeftOut(element)) continue;
      const holder = element.parent !== null && isTag(element.parent) ? element.parent : null;
      if (names.length > 0 && holder !== parent) break;
      const text = firstText(element);
      const own = text.length > 120 ? [] : clean(splitNames(withoutDay(collapse(text))));
      if (own.length === 0 || own.length > 4) continue;
      names.push(...own);
      parent = holder;
    }
    if (names.length > 0) return clean(names).slice(0, 4);
  }
  return [];
}

const bylineText = new RegExp(
  String.raw`^(?:(?:(?:written|posted|published|reviewed|(?:guest\s+)?(?:analysis|article|column|essay|interview|opinion|post|report|review|story|text|words))\s+)?(?:by|von|par|por|kirjoittanut|מאת)(?:\s*:)?\s+|(?:te(?:x|ks)ti?|words)\s*:\s+(?=.*[.,;|•·–—-]\s*(?:photo|picture|image|illustration|foto|bild)\p{L}*\s*(?:by\b|:))|(?:${authorWords})\s*[:：]\s*|(?:記者|记者)(?:\s+|(?=\p{Script=Han}{2,4}\s?[／/]\s?\S{1,10}(?:報導|報道|报道)$)))(\S.{1,79})$`,
  'iu',
);
/** Behind those of the text, the names of who made its pictures. */
const ofPictures =
  /\s*(?:[.,;|•·–—-]|\band\b)\s*(?:photo(?:s|graphs?|graphy)?|pictures?|images?|illustrations?|video|fotos?|bilder)\s*(?:by\b|von\b|:|courtesy\b|credit).*$/iu;
const rankBehind =
  /,\s(?:[\p{L}&’'-]{1,20}\s){0,4}(?:correspondent|reporter|editor|writer|columnist|contributor)(?=\s*(?:,|&|$|and\s))/giu;
const publishedBehind = new RegExp(String.raw`[\s,|–—-]{1,3}(?:${publicationWords.source}).*$`, 'i');
/** Of a line that may name a writer, a day and more. */
const longestLine = 200;
const aroundTitle = { before: 6, after: 14 };

function namesIn(line: string, begins: string): string[] {
  const told = bylineText
    .exec(begins)?.[1]
    ?.replace(ofPictures, '')
    .replace(rankBehind, '')
    .replace(trailing, '')
    .replace(degrees, '');
  if (told === undefined || (/\.["”’)]?$/.test(line) && isProse(told))) return [];
  return clean(splitNames(told)).filter((name) => /^[\p{Lu}\p{Lo}]/u.test(name) && !isProse(name));
}

const dayAlone = new RegExp(String.raw`^(?=.*\d{4})[\p{L}\d.,/ -]{8,30}$`, 'u');

/** `May 1, 2024 · 2 min · Jo Field`. In other orders and forms, the name may be that of a subject. */
function nameInDetails(line: string): string[] {
  const [day = '', time = '', name = '', ...rest] = line.slice(0, longestLine).split(/\s*·\s*/);
  if (rest.length > 0 || !dayAlone.test(day) || !/^\d{1,3} min$/.test(time)) return [];
  const isFullName = /^(?:\p{Lu}[\p{L}\p{M}.'’-]{0,30} ){1,3}\p{Lu}[\p{L}\p{M}'’-]{1,30}$/u.test(name);
  return isFullName ? clean([name]) : [];
}

function namesInLine(line: string): string[] {
  const own = namesIn(
    line,
    isSentence(line) ? line : withoutDay(line.slice(0, longestLine)).replace(publishedBehind, ''),
  );
  return own.length > 0 ? own : nameInDetails(line);
}

/** Whether these blocks name a writer: a line of them that begins with "by", or an element that is marked as one. */
export function namesWriter(facts: PageFacts, blocks: readonly Block[]): boolean {
  const near = new Set(blocks.flatMap((block) => [...holdersOf(block)]));
  return (
    blocks.some(({ text }) => namesInLine(text.split('\n', 1)[0] ?? '').length > 0) ||
    fromElements(facts, (element) => !near.has(element)).length > 0
  );
}

/**
 * A line near the title that begins with "by", without the day behind the name.
 * @param isSure only one that would name somebody with it too.
 */
function fromLines(
  blocks: readonly Block[],
  titleAt: number,
  { isOfOthers, isSure }: Pick<Places, 'isOfOthers'> & { isSure: boolean },
): string[] {
  if (titleAt < 0) return [];
  for (const { text, nodes } of blocks.slice(
    Math.max(0, titleAt - aroundTitle.before),
    titleAt + aroundTitle.after,
  )) {
    const [line = ''] = text.split('\n', 1);
    if (nodes[0] !== undefined && isOfOthers(nodes[0])) continue;
    if (isSure && namesIn(line, line).length === 0) continue;
    const own = namesInLine(line);
    if (own.length > 0) return own;
  }
  return [];
}

const userClass = /(?:^|\s)(?:user-?name|poster|nick-?name)(?:\s|$)/i;
const mostPosterBlocks = 25;

const edited = /^(?:last )?edited\b/i;

/** Of a thread, whoever posted first: the first name from its title on that leads to a member or is called one. */
function firstPoster(blocks: readonly Block[], titleAt: number): string[] {
  const near = titleAt < 0 ? [] : blocks.slice(titleAt, titleAt + mostPosterBlocks);
  for (const [i, { nodes }] of near.entries()) {
    if (near.slice(Math.max(0, i - 3), i).some(({ text }) => edited.test(text))) continue;
    for (const node of nodes) {
      for (let up = node.parent, n = 0; up !== null && isTag(up) && n < 4; up = up.parent, n++) {
        const isUser =
          userClass.test(up.attribs['class'] ?? '') ||
          (up.name === 'a' && userPath.test(up.attribs['href']?.slice(0, 500) ?? ''));
        const name = isUser ? collapse(firstText(up)) : '';
        if (name.length >= 2 && name.length <= 40 && !noName.test(name)) return [name];
      }
    }
  }
  return [];
}

/** What is for sale has a maker, and reviewers; nobody wrote it. */
const isForSale = (facts: PageFacts): boolean =>
  /product/i.test(facts.meta.get('og:type') ?? '') ||
  facts.things.some(({ types, depth }) => depth === 0 && types.some((type) => type.startsWith('Product')));

/** Whether structured data says that a name is a person's: some sites have the name of their author. */
const isPerson = (facts: PageFacts, name: string): boolean =>
  facts.things.some(
    ({ types, value }) =>
      types.includes('Person') && typeof value['name'] === 'string' && bare(value['name']) === bare(name),
  );

/** Where a page may name its writer. */
interface Signature {
  titleAt: number;
  places: Places;
  siteNames: readonly string[];
  /** Whether somebody wrote it, so that what its text says of a writer counts. */
  isWritten: boolean;
}

/** Who wrote it, as one line; null where the page names nobody. The site's own name stands where no other is told. */
export function findByline(
  facts: PageFacts,
  hints: PageHints,
  blocks: readonly Block[],
  { titleAt, places, siteNames, isWritten }: Signature,
): string | null {
  if (isForSale(facts)) return null;
  const poster = isThread(hints) ? [() => firstPoster(blocks, titleAt)] : [];
  let site: string | null = null;
  const { isAside, isOfOthers, isWithTitle } = places;
  const fromPage = isWritten
    ? [
        () => fromLines(blocks, titleAt, { isOfOthers, isSure: true }),
        // A site that is its author's tells of others too.
        () => fromElements(facts, (one) => isAside(one) || (site !== null && !isWithTitle(one))),
        () => (site === null ? fromElements(facts, isOfOthers) : []),
        () => fromLines(blocks, titleAt, { isOfOthers, isSure: false }),
      ]
    : [];
  for (const source of [() => fromThings(facts), () => fromMeta(facts), ...poster, ...fromPage]) {
    const names = source();
    if (names.some((name) => !siteNames.includes(bare(name)))) return names.join(', ');
    site ??= names[0] ?? null;
    if (site !== null && isPerson(facts, site)) return site;
  }
  return site;
}
