import { getBlockModel } from './block-model.ts';
import type { Block, PageBlocks } from './blocks.ts';
import { contextNames, describeContext } from './context-features.ts';
import { describeBlocks, findRootOf } from './features.ts';
import { keepParts } from './keep-parts.ts';
import { keepPosts } from './keep-posts.ts';
import { keepTablesWhole } from './keep-tables.ts';
import { predict } from './forest.ts';
import type { PageFacts } from './page-facts.ts';
import { isThread, isWritten, readHints } from './page-kind.ts';
import { pickBlocks } from './pick-blocks.ts';
import { readableShares } from './readable.ts';
import { standBeside } from './stand-beside.ts';

export interface Judgement {
  picked: Uint8Array;
  /** F1 that the model expects of its choice, 0 to 1. */
  expected: number;
}

/** A page of more blocks takes seconds and hundreds of megabytes to weigh. */
const mostJudged = 10_000;
/** A block that is so likely counts as content that the page shows; so many words of it are enough of a page. */
const contentFrom = 0.4;
const fewWords = 20;
/** What is expected of a choice that was not weighed. */
const unweighed = 0.5;

/** Tells the blocks that are the page's content: each by itself first, then among its neighbours. */
export function judgeBlocks(page: PageBlocks, facts: PageFacts, url: string, html: string): Judgement {
  if (page.blocks.length === 0) return { picked: new Uint8Array(), expected: 0 };
  if (page.blocks.length > mostJudged) return takeRoot(page);
  const depth = page.scopes.reduce((most, scope) => Math.max(most, scope.depth), 0);
  const hints = readHints(facts, url);
  const readable = readableShares(html, page.blocks, depth);
  const { names, rows, plain } = describeBlocks(page, facts, hints, readable);
  const { first, second } = getBlockModel(names, contextNames);
  const likely = Float32Array.from(rows, (row) => predict(first, row));
  const chars = plain.map((one) => one.chars);
  const context = describeContext(page.blocks, chars, likely);
  const surer = Float32Array.from(rows, (row, i) => {
    const whole = new Float32Array(row.length + (context.rows[i]?.length ?? 0));
    whole.set(row);
    whole.set(context.rows[i] ?? [], row.length);
    return predict(second, whole);
  });
  const isLeftOut = leaveOutHidden(page.blocks, plain, surer);
  const beside = standBeside(names, rows).map((one, i) => one || page.blocks[i]?.scope.hidden === true);
  const candidates = plain.map(({ words }, i) => ({
    words: isLeftOut(i) ? 0 : words,
    likely: surer[i] ?? 0,
    readable: readable[i] ?? -1,
    beside: beside[i] ?? false,
  }));
  const choice = pickBlocks(candidates, isWritten(hints) && !isThread(hints));
  keepTablesWhole(
    page,
    plain.map(({ words }) => words),
    choice.picked,
  );
  keepParts(page, beside, choice.picked);
  if (isThread(hints)) keepPosts(page.blocks, beside, choice.picked);
  return { ...choice, picked: choice.picked.map((one, i) => (isLeftOut(i) ? 0 : one)) };
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
