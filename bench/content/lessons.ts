import { getDomain } from 'tldts';
import { readBlocks } from '../../src/workers/extract/blocks.ts';
import { expectQuality, type Signs } from '../../src/workers/extract/confidence.ts';
import { joinBlocks } from '../../src/workers/extract/content-text.ts';
import { isCaption } from '../../src/workers/extract/keep-images.ts';
import { chooseBlocks, type WeighedPage, weighPage } from '../../src/workers/extract/judge-blocks.ts';
import { readFacts } from '../../src/workers/extract/page-facts.ts';
import { readHead } from '../../src/workers/page/html/head.ts';
import { parsePage } from '../../src/workers/extract/parse-page.ts';
import type { CorpusPage } from './corpus.ts';
import { labelBlocks } from './labels.ts';
import type { Output } from './scores.ts';

/** A page to learn from. */
export interface Lesson {
  page: CorpusPage;
  weighed: WeighedPage;
  labels: Float32Array;
  weights: number[];
}

/** Of a page whose true text is shorter, nothing can be learned: what it shows came with scripts. */
const fewestWords = 20;
const averageWeight = 250;
const mostWeight = 30;

const countOf = (text: string): number => text.match(/\S+/g)?.length ?? 0;

export function toLesson(page: CorpusPage): Lesson {
  const { tree, html } = parsePage(page.html);
  const found = readBlocks(tree);
  const head = readHead(page.html, { url: page.url, headers: {}, charset: null });
  const weighed = weighPage(found, readFacts(tree, head), page.url, html);
  const labels = labelBlocks(
    found.blocks.map(({ text }) => text),
    page.gt.body,
  );
  return { page, weighed, labels, weights: weightsOf(page, weighed) };
}

/**
 * A word of a page weighs what it changes of the page's F1: the less, the more words are content. A page that has much
 * more text than content weighs no more than one of whose text half is content.
 */
function weightsOf({ gt }: CorpusPage, { plain }: WeighedPage): number[] {
  const content = countOf(gt.body);
  if (content < fewestWords) return plain.map(() => 0);
  const all = plain.reduce((sum, { words }) => sum + words, 0);
  const whole = Math.max(50, content, all / 2);
  return plain.map(({ words }) =>
    words === 0 ? 0 : Math.min(mostWeight, (averageWeight * (words + 3)) / whole),
  );
}

/** Numbers the parts of a set, so that pages of one site are in one part, and parts are about as large for each type. */
export function foldsOf(pages: readonly CorpusPage[], folds: number): number[] {
  const sites = Map.groupBy(pages, ({ url }) => getDomain(url) ?? url);
  const sizes = new Map<string, number[]>();
  const folded = new Map<string, number>();
  const bySize = [...sites].toSorted((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  for (const [site, own] of bySize) {
    const type = own[0]?.gt.type ?? '-';
    const known = sizes.get(type) ?? Array.from({ length: folds }, () => 0);
    sizes.set(type, known);
    const least = known.indexOf(Math.min(...known));
    known[least] = (known[least] ?? 0) + own.length;
    folded.set(site, least);
  }
  return pages.map(({ url }) => folded.get(getDomain(url) ?? url) ?? 0);
}

/** What the extraction would answer where the blocks are so likely, and what tells how good that is. */
export function answerOf({ weighed }: Lesson, likely: Float32Array): Output & { signs: Signs | null } {
  const { picked, signs } = chooseBlocks(weighed, likely);
  const kept = weighed.page.blocks.filter(
    (block, i) => picked[i] === 1 && block.text !== '' && !isCaption(block),
  );
  const text = joinBlocks(kept);
  return { text, title: null, author: null, date: null, confidence: expectQuality(signs), signs };
}
