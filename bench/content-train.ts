import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BlockModel, modelFiles } from '../src/workers/extract/block-model.ts';
import { contextNames } from '../src/workers/extract/context-features.ts';
import type { Forest } from '../src/workers/extract/forest.ts';
import { loadCorpus } from './content/corpus.ts';
import { answerOf, foldsOf, toLesson } from './content/lessons.ts';
import { score } from './content/scores.ts';
import { growModel, predictAcross } from './content/train.ts';

/**
 * Grows a block model of the extraction from the tune half of the corpora; nothing of the held-out half is read. It
 * first prints figures in which each page is judged by forests that have seen no page of its site. The model is that of
 * pages that are no articles; `article` grows the other one, whose forests in use are of an older plan, since those of
 * this one take less of the articles of other sites.
 */
const folds = 4;
const kind = process.argv.includes('article') ? 'article' : 'other';
const modelFile = join(import.meta.dirname, '../src/workers/extract', modelFiles[kind]);

const round = (forest: Forest): Forest => ({
  ...forest,
  bias: +forest.bias.toFixed(4),
  trees: forest.trees.map((tree) => tree.map((n) => +n.toPrecision(5))),
});

const pages = [...loadCorpus('articles'), ...loadCorpus('pages')].filter(({ half }) => half === 'tune');
const lessons = pages.map(toLesson);
const fold = foldsOf(pages, folds);
const names = lessons.find(({ weighed }) => weighed.names.length > 0)?.weighed.names ?? [];
const { first, second } = predictAcross(names, contextNames, lessons, fold);
const outputs = new Map(
  lessons.map((lesson) => [lesson.page.id, answerOf(lesson, second.get(lesson) ?? new Float32Array())]),
);
for (const corpus of ['articles', 'pages']) {
  const own = pages.filter((page) => page.corpus === corpus);
  console.log(
    corpus,
    JSON.stringify(score(own, outputs), (_, n) => (typeof n === 'number' ? +n.toFixed(4) : n)),
  );
}
const grown = growModel(names, contextNames, lessons, first);
const model: BlockModel = { first: round(grown.first), second: round(grown.second) };
writeFileSync(modelFile, `${JSON.stringify(model)}\n`);
