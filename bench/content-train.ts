import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlockModel } from '../src/workers/extract/block-model.ts';
import { type Block, readBlocks } from '../src/workers/extract/blocks.ts';
import { contextNames, describeContext } from '../src/workers/extract/context-features.ts';
import { describeBlocks } from '../src/workers/extract/features.ts';
import { type Forest, predict } from '../src/workers/extract/forest.ts';
import { readFacts } from '../src/workers/extract/page-facts.ts';
import { isThread, isWritten, readHints } from '../src/workers/extract/page-kind.ts';
import { parsePage } from '../src/workers/extract/parse-page.ts';
import { pickBlocks } from '../src/workers/extract/pick-blocks.ts';
import { readableShares } from '../src/workers/extract/readable.ts';
import { standBeside } from '../src/workers/extract/stand-beside.ts';
import { type CorpusPage, loadCorpus } from './content/corpus.ts';
import { growForest, type Growth, type Sample } from './content/grow-forest.ts';
import { labelBlocks } from './content/labels.ts';
import { type Output, score } from './content/scores.ts';

/**
 * Grows the block model of the extraction from the tune half of the corpora; nothing of the held-out half is read. It
 * first prints figures in which each page is judged by forests that have not seen it.
 */
const folds = 3;
/** Of the many blocks that are no content, one in so many stands for all. */
const kept = 4;
const first: Growth = { trees: 70, leaves: 24, rate: 0.14, minWeight: 4, columns: 0.2, samples: 0.5, l2: 8 };
const second: Growth = { trees: 80, leaves: 20, rate: 0.12, minWeight: 5, columns: 0.2, samples: 0.5, l2: 8 };
const modelFile = join(import.meta.dirname, '../src/workers/extract/block-model.json');

interface Lesson {
  page: CorpusPage;
  fold: number;
  isArticle: boolean;
  names: readonly string[];
  blocks: readonly Block[];
  chars: number[];
  words: number[];
  readable: Float32Array;
  beside: boolean[];
  rows: readonly Float32Array[];
  labels: Float32Array;
  weights: number[];
}

function toLesson(page: CorpusPage, index: number): Lesson {
  const { tree } = parsePage(page.html);
  const found = readBlocks(tree);
  const facts = readFacts(tree, page.url);
  const hints = readHints(facts, page.url);
  const readable = readableShares(page.html, found.blocks, 0);
  const { names, rows, plain } = describeBlocks(found, facts, hints, readable);
  const texts = found.blocks.map(({ text }) => text);
  // A page weighs about the same, however long it is.
  const all = Math.max(50, page.gt.body.split(/\s+/).length);
  return {
    page,
    fold: index % folds,
    isArticle: isWritten(hints) && !isThread(hints),
    names,
    blocks: found.blocks,
    chars: plain.map((one) => one.chars),
    words: plain.map((one) => one.words),
    readable,
    beside: standBeside(names, rows).map((one, i) => one || found.blocks[i]?.scope.hidden === true),
    rows,
    labels: labelBlocks(texts, page.gt.body),
    weights: plain.map(({ words }) => (words === 0 ? 0 : Math.min(30, (250 * (words + 3)) / all))),
  };
}

type Rows = ReadonlyMap<Lesson, readonly Float32Array[]>;

function grow(names: readonly string[], lessons: readonly Lesson[], rows: Rows, growth: Growth): Forest {
  const samples = lessons.flatMap((lesson) =>
    (rows.get(lesson) ?? []).flatMap((row, i): Sample[] => {
      const label = lesson.labels[i] ?? 0;
      if (label === 0 && i % kept !== 0) return [];
      const weight = (lesson.weights[i] ?? 0) * (label === 0 ? kept : 1);
      return weight > 0 ? [{ row, label, weight }] : [];
    }),
  );
  return growForest(names, samples, growth);
}

/** Predictions for each lesson by a forest that has not seen its fold. */
function predictAcross(names: readonly string[], lessons: readonly Lesson[], rows: Rows, growth: Growth) {
  const found = new Map<Lesson, Float32Array>();
  for (let fold = 0; fold < folds; fold++) {
    const others = lessons.filter((lesson) => lesson.fold !== fold);
    const forest = grow(names, others, rows, growth);
    for (const lesson of lessons.filter((one) => one.fold === fold)) {
      found.set(
        lesson,
        Float32Array.from(rows.get(lesson) ?? [], (row) => predict(forest, row)),
      );
    }
  }
  return found;
}

function withContext(lesson: Lesson, likely: Float32Array): Float32Array[] {
  const context = describeContext(lesson.blocks, lesson.chars, likely).rows;
  return lesson.rows.map((row, i) => Float32Array.from([...row, ...(context[i] ?? [])]));
}

function report(lessons: readonly Lesson[], likely: ReadonlyMap<Lesson, Float32Array>): void {
  const outputs = new Map<string, Output>();
  for (const lesson of lessons) {
    const own = likely.get(lesson) ?? new Float32Array();
    const candidates = lesson.words.map((words, i) => ({
      words,
      likely: own[i] ?? 0,
      readable: lesson.readable[i] ?? -1,
      beside: lesson.beside[i] ?? false,
    }));
    const { picked } = pickBlocks(candidates, lesson.isArticle);
    const content = lesson.blocks.filter((_, i) => picked[i] === 1).map((block) => block.text);
    outputs.set(lesson.page.id, { text: content.join('\n'), title: null, author: null, date: null });
  }
  for (const corpus of ['articles', 'pages']) {
    const pages = lessons.map(({ page }) => page).filter((page) => page.corpus === corpus);
    console.log(
      corpus,
      JSON.stringify(score(pages, outputs), (_, n) => (typeof n === 'number' ? +n.toFixed(4) : n)),
    );
  }
}

const round = (forest: Forest): Forest => ({
  ...forest,
  bias: +forest.bias.toFixed(4),
  trees: forest.trees.map((tree) => tree.map((n) => +n.toPrecision(5))),
});

const pages = [...loadCorpus('articles'), ...loadCorpus('pages')].filter(({ half }) => half === 'tune');
const lessons = pages.map(toLesson);
const names = lessons.find((lesson) => lesson.names.length > 0)?.names ?? [];
const rows: Rows = new Map(lessons.map((lesson) => [lesson, lesson.rows]));
const likely = predictAcross(names, lessons, rows, first);
const wholeNames = [...names, ...contextNames];
const wholeRows: Rows = new Map(
  lessons.map((lesson) => [lesson, withContext(lesson, likely.get(lesson) ?? new Float32Array())]),
);
report(lessons, predictAcross(wholeNames, lessons, wholeRows, second));
const model: BlockModel = {
  first: round(grow(names, lessons, rows, first)),
  second: round(grow(wholeNames, lessons, wholeRows, second)),
};
writeFileSync(modelFile, `${JSON.stringify(model)}\n`);
