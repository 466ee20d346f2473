import type { Plain } from './block-measures.ts';
import { getBlockModel } from './block-model.ts';
import type { Block, PageBlocks } from './blocks.ts';
import { leaveOutCodeLabels } from './code-labels.ts';
import { expectQuality, type Signs, tellSigns } from './confidence.ts';
import { contextNames, describeContext } from './context-features.ts';
import { describeBlocks } from './features.ts';
import { judgeAlike } from './judge-alike.ts';
import { keepEntries, takeEntries } from './keep-entries.ts';
import { keepLabels } from './keep-labels.ts';
import { keepNames } from './keep-names.ts';
import { keepNotes } from './keep-notes.ts';
import { keepParts } from './keep-parts.ts';
import { keepPosts } from './keep-posts.ts';
import { keepTablesWhole } from './keep-tables.ts';
import { leaveOutDangling } from './leave-out-dangling.ts';
import { leaveOutCopies } from './leave-out-copies.ts';
import { predict } from './forest.ts';
import type { PageFacts } from './page-facts.ts';
import {
  isForSale,
  isIndex,
  isList,
  isShop,
  isThread,
  isWritten,
  type PageHints,
  readHints,
} from './page-kind.ts';
import { type PageSort, pickBlocks } from './pick-blocks.ts';
import { readableShares } from './readable.ts';
import { findRootOf } from './running-text.ts';
import { standBeside, tellOpinions } from './stand-beside.ts';

export interface Judgement {
  picked: Uint8Array;
  /** The F1 to expect of the choice, 0 to 1. */
  expected: number;
}

/** A page of more blocks takes seconds and hundreds of megabytes to weigh. */
const mostJudged = 10_000;
/** A block that is so likely counts as content that the page shows; so many words of it are enough of a page. */
const contentFrom = 0.4;
const fewWords = 20;
/** What is expected of a choice that was not weighed. */
const unweighed = 0.5;

/** A page whose blocks were measured: what the model judges by, and what the choice heeds beside its answer. */
export interface WeighedPage {
  page: PageBlocks;
  hints: PageHints;
  sort: PageSort;
  /** Names of the columns of the rows. */
  names: readonly string[];
  rows: readonly Float32Array[];
  plain: readonly Plain[];
  readable: Float32Array;
  /** Of each block, whether it stands in a menu, a foot or the like. */
  beside: readonly boolean[];
  /** Whether it stands among what buyers say of what is sold. */
  opinion: readonly boolean[];
}

/** Tells the blocks that are the page's content: each by itself first, then among its neighbours. */
export function judgeBlocks(page: PageBlocks, facts: PageFacts, url: string, html: string): Judgement {
  if (page.blocks.length === 0) return { picked: new Uint8Array(), expected: 0 };
  if (page.blocks.length > mostJudged) return takeRoot(page);
  const weighed = weighPage(page, facts, url, html);
  const { names, rows, sort } = weighed;
  const kind = sort === 'article' ? 'article' : 'other';
  const { first, second } = getBlockModel(kind, names, contextNames);
  const likely = Float32Array.from(rows, (row) => predict(first, row));
  const surer = Float32Array.from(withContext(weighed, likely), (row) => predict(second, row));
  const { picked, signs } = chooseBlocks(weighed, surer);
  return { picked, expected: expectQuality(signs) };
}

export function weighPage(page: PageBlocks, facts: PageFacts, url: string, html: string): WeighedPage {
  const depth = page.scopes.reduce((most, scope) => Math.max(most, scope.depth), 0);
  const hints = readHints(facts, url, page);
  const readable = readableShares(html, page.blocks, depth);
  const { names, rows, plain } = describeBlocks(page, facts, hints, readable);
  const kind = { isForSale: isForSale(hints, page), isThread: isThread(hints) };
  const opinion = tellOpinions(names, rows, kind);
  const beside = standBeside(names, rows, kind).map((one, i) => one || page.blocks[i]?.scope.hidden === true);
  return { page, hints, sort: sortOf(hints, url), names, rows, plain, readable, beside, opinion };
}

/** The rows of the second pass: those of the first, and what it said about the surroundings. */
export function withContext({ page, rows, plain }: WeighedPage, likely: Float32Array): Float32Array[] {
  const chars = plain.map((one) => one.chars);
  const context = describeContext(page.blocks, chars, likely).rows;
  return rows.map((row, i) => {
    const whole = new Float32Array(row.length + (context[i]?.length ?? 0));
    whole.set(row);
    whole.set(context[i] ?? [], row.length);
    return whole;
  });
}

/** @param itself how likely each block is content, 0 to 1, judged by itself. */
export function chooseBlocks(
  weighed: WeighedPage,
  itself: Float32Array,
): { picked: Uint8Array; signs: Signs | null } {
  const { page, hints, sort, plain, readable, beside, opinion } = weighed;
  const likely = sort === 'article' ? itself : judgeAlike(page.blocks, beside, itself);
  const isLeftOut = leaveOutHidden(page.blocks, plain, likely);
  const candidates = plain.map(({ words }, i) => ({
    words: isLeftOut(i) ? 0 : words,
    likely: likely[i] ?? 0,
    readable: readable[i] ?? -1,
    beside: beside[i] ?? false,
    opinion: opinion[i] ?? false,
  }));
  const choice = pickBlocks(candidates, sort);
  const words = plain.map((one) => one.words);
  // Old forum programs lay posts out in tables.
  if (!isThread(hints)) keepTablesWhole(page, words, choice.picked);
  keepLabels(page, choice.picked);
  keepParts(page, beside, choice.picked);
  keepNotes(page, choice.picked);
  if (sort === 'other') keepNames(page, words, beside, choice.picked);
  const entries = { page, candidates };
  if (isThread(hints)) keepPosts(page.blocks, beside, likely, choice.picked);
  else if (takeEntries(entries, choice.picked)) choice.widened = true;
  // What stands in cards beside one product is no part of it.
  else if (sort === 'other' && (isList(hints) || !isShop(hints, page))) keepEntries(entries, choice.picked);
  const picked = choice.picked.map((one, i) => (isLeftOut(i) ? 0 : one));
  leaveOutCopies(page.blocks, picked);
  leaveOutCodeLabels(page.blocks, picked);
  if (!isThread(hints)) leaveOutDangling(page, picked);
  return { picked, signs: tellSigns(candidates, { ...choice, picked }) };
}

function sortOf(hints: PageHints, url: string): PageSort {
  if (isThread(hints)) return 'thread';
  return isWritten(hints) && !isIndex(hints, url) ? 'article' : 'other';
}

/**
 * What a page does not show is none of its text (it may be there for machines only, to order them about), unless
 * nothing else of it is content: some pages show theirs by a script.
 */
function leaveOutHidden(
  blocks: readonly Block[],
  plain: readonly { words: number }[],
  likely: Float32Array,
): (index: number) => boolean {
  const isHidden = (index: number): boolean => blocks[index]?.scope.hidden === true;
  const shownWords = plain.reduce(
    (sum, { words }, i) => sum + (isHidden(i) || (likely[i] ?? 0) < contentFrom ? 0 : words),
    0,
  );
  return (index) => shownWords >= fewWords && isHidden(index);
}

/** Of a page with more blocks than can be weighed each: the element whose paragraphs read most like running text. */
function takeRoot({ blocks }: PageBlocks): Judgement {
  const root = findRootOf(blocks);
  const isInside = ({ index, scope }: Block): boolean =>
    !scope.hidden && (root === null || (index >= root.first && index < root.end));
  return { picked: Uint8Array.from(blocks, (block) => (isInside(block) ? 1 : 0)), expected: unweighed };
}
