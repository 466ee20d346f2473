import { namesWriter } from './authors.ts';
import type { Block, PageBlocks, Scope } from './blocks.ts';
import { changeWordsOf, isNoPublication } from './change-marks.ts';
import { momentOf, type PageFacts } from './page-facts.ts';
import { isForSale, isList, isOverview, isWritten, type PageHints } from './page-kind.ts';
import { after, holdersOf } from './shown-dates.ts';
import { sizeOf } from './text-size.ts';
import { dateWritingOf } from './written-date.ts';

/** Characters of a paragraph, and how many follow below the title. */
const paragraph = 80;
const fewestParagraphs = 2;
/** Blocks above the title, in the same article, in which its day or its writer may stand. */
const above = 6;
/** So many alike are entries of a list. */
const few = 3;
const articleTags = new Set(['article', 'main']);
const ending = /[.!?…。！？؟।]["”’)\]」』]*$/;
const entryTags = new Set(['article', 'div', 'li', 'section', 'tr']);

/** What is known of a page whose blocks were chosen. */
interface Chosen {
  facts: PageFacts;
  hints: PageHints;
  url: string;
  page: PageBlocks;
  picked: Uint8Array;
  titleAt: number;
}

/** Whether somebody wrote a page, so that what its text says of itself counts. */
interface Signs {
  /** Of its writer. */
  isSigned: boolean;
  /** Of its day. */
  isDated: boolean;
}

const all: Signs = { isSigned: true, isDated: true };
const none: Signs = { isSigned: false, isDated: false };

/**
 * Tells it by what the page says of its kind, else by its markup: it is the one article of that, or between its title and
 * its text stands who wrote it or, in an `article` or `main`, a `time`. A bare day there may be that of anything.
 */
export function readSigns(chosen: Chosen): Signs {
  if (isWritten(chosen.hints)) return all;
  if (isOfOtherKind(chosen)) return none;
  if (chosen.hints.itemArticle === 1) return all;
  const { page, facts, picked, titleAt } = chosen;
  const { blocks } = page;
  const title = blocks[titleAt];
  const holder = title?.scope.tag === 'h1' ? holderOf(title, page) : null;
  if (holder === null) return none;
  const paragraphs = blocks
    .slice(titleAt + 1, holder.end)
    .filter(({ text, index }) => picked[index] === 1 && sizeOf(text) >= paragraph && ending.test(text));
  const first = paragraphs[0]?.index ?? 0;
  if (paragraphs.length < fewestParagraphs || first > titleAt + after) return none;
  const head = blocks
    .slice(Math.max(holder.first, titleAt - above), first)
    .filter((block) => !isInEntry(block, holder));
  const isDated = articleTags.has(holder.tag) && hasTime(facts, head);
  return { isSigned: isDated || namesWriter(facts, head), isDated };
}

function isOfOtherKind({ facts, hints, page, url }: Chosen): boolean {
  const other = hints.product + hints.service + hints.docs + hints.itemProduct + hints.itemMany;
  return (
    other >= 1 ||
    hints.pathSold + hints.pathDocs + hints.pathList >= 1 ||
    isForSale(hints, page) ||
    isList(hints) ||
    isOverview(hints, url) ||
    facts.things.some(({ types }) => types.some((type) => /Event$|^JobPosting$/.test(type)))
  );
}

/**
 * The article or the main part of the page that a title stands in, or all of the page where neither is marked; null where
 * it is one of several, or holds several.
 */
function holderOf({ index, scope }: Block, { scopes }: PageBlocks): Scope | null {
  let up = scope;
  while (!articleTags.has(up.tag) && up.parent !== null) up = up.parent;
  if (up.alike.length > 1) return null;
  const { first, end } = up;
  const within = scopes.filter(
    (one) =>
      one.tag === 'article' &&
      one.first >= first &&
      one.end <= end &&
      (index < one.first || index >= one.end),
  );
  return within.length < few ? up : null;
}

function isInEntry({ scope }: Block, holder: Scope): boolean {
  for (let up: Scope | null = scope; up !== null && up !== holder; up = up.parent)
    if (entryTags.has(up.tag) && up.alike.length >= few) return true;
  return false;
}

/** Whether a `time` stands in these blocks that is not the day of a change. */
function hasTime({ times, language }: PageFacts, blocks: readonly Block[]): boolean {
  const near = new Set(blocks.flatMap((block) => [...holdersOf(block)]));
  const writing = dateWritingOf(language);
  return times.some(
    (one) =>
      near.has(one) && momentOf(one.attribs) !== undefined && !isNoPublication(changeWordsOf(one, writing)),
  );
}
