import { namesWriter } from './authors.ts';
import type { Block, PageBlocks, Scope } from './blocks.ts';
import { changeWordsOf, isNoPublication, publicationWords } from './change-marks.ts';
import { collapse, momentOf, type PageFacts, textOf } from './page-facts.ts';
import { isForSale, isList, isOverview, isWritten, type PageHints } from './page-kind.ts';
import { after, holdersOf } from './shown-dates.ts';
import { sizeOf } from './text-size.ts';
import { dateWritingOf } from './written-date.ts';

/** Characters of a paragraph, and how many follow below the title. */
const paragraph = 80;
const fewestParagraphs = 2;
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

/**
 * Whether somebody wrote a page, so that what its text says of its writer and its day counts. It tells so by its kind, or its
 * markup says that it is the one post or the one news and when that was published, or both who wrote it and a `time` stand
 * between the title and the text of its article. One of them alone may be that of anything.
 */
export function isSigned(chosen: Chosen): boolean {
  const { page, facts, hints, picked, titleAt } = chosen;
  if (isWritten(hints)) return true;
  if (isOfOtherKind(chosen)) return false;
  if (isMarkedPost(facts)) return true;
  const { blocks } = page;
  const title = blocks[titleAt];
  const holder = title?.scope.tag === 'h1' ? holderOf(title, page) : null;
  if (holder === null || hints.pathDepth + hints.pathQuery === 0) return false;
  const paragraphs = blocks
    .slice(titleAt + 1, holder.end)
    .filter(({ text, index }) => picked[index] === 1 && sizeOf(text) >= paragraph && ending.test(text));
  const first = paragraphs[0]?.index ?? 0;
  if (paragraphs.length < fewestParagraphs || first > titleAt + after) return false;
  const head = blocks.slice(titleAt + 1, first).filter((block) => !isInEntry(block, holder));
  return namesWriter(facts, head) && hasOwnTime(facts, head);
}

function isMarkedPost({ itemTypes, times, marked }: PageFacts): boolean {
  const posts = (itemTypes.get('BlogPosting') ?? 0) + (itemTypes.get('NewsArticle') ?? 0);
  return (
    posts === 1 &&
    [...times, ...marked].some(({ attribs }) => /datePublished/i.test(attribs['itemprop'] ?? ''))
  );
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

/** The article or the main part of the page that a title stands in; null where it is one of several, or holds several. */
function holderOf({ index, scope }: Block, { scopes }: PageBlocks): Scope | null {
  let up = scope;
  while (!articleTags.has(up.tag) && up.parent !== null) up = up.parent;
  if (!articleTags.has(up.tag) || up.alike.length > 1) return null;
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

/** Whether a `time` in these blocks tells when they were written: by itself, beside the writer or a word of publication. */
function hasOwnTime(facts: PageFacts, blocks: readonly Block[]): boolean {
  const times = new Set(facts.times);
  const writing = dateWritingOf(facts.language);
  return blocks.some((block) =>
    [...new Set(holdersOf(block))].some(
      (one) =>
        times.has(one) &&
        momentOf(one.attribs) !== undefined &&
        !isNoPublication(changeWordsOf(one, writing)) &&
        (collapse(block.text) === textOf(one) ||
          publicationWords.test(block.text) ||
          namesWriter(facts, [block])),
    ),
  );
}
