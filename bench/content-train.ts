import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BlockModel, modelFiles } from '../src/workers/extract/block-model.ts';
import { confidenceFile } from '../src/workers/extract/confidence.ts';
import { contextNames } from '../src/workers/extract/context-features.ts';
import type { Forest } from '../src/workers/extract/forest.ts';
import { loadCorpus } from './content/corpus.ts';
import { fitConfidence, reliabilityOf, type Trial } from './content/fit-confidence.ts';
import { answerOf, foldsOf, toLesson } from './content/lessons.ts';
import { score } from './content/scores.ts';
import { growModel, predictAcross } from './content/train.ts';

/**
 * Grows a block model of the extraction from the tune half of the corpora; nothing of the held-out half is read. It
 * first prints figures in which each page is judged by forests that have seen no page of its site. The model is that of
 * pages that are no articles; `article` grows the other one, whose forests in use are of an older plan, since those of
 * this one take less of the articles of other sites. `confidence` grows none, and fits what is expected of a choice of
 * blocks to how good the choices of forests are that have not seen the page's site.
 */
const folds = 4;
/** Several divisions, for more choices of the same pages. */
const foldsOfConfidence = [3, 4, 5, 6];
const kind = process.argv.includes('article') ? 'article' : 'other';
const modelFolder = join(import.meta.dirname, '../src/workers/extract');

const round = (forest: Forest): Forest => ({
  ...forest,
  bias: +forest.bias.toFixed(4),
  trees: forest.trees.map((tree) => tree.map((n) => +n.toPrecision(5))),
});

const pages = [...loadCorpus('articles'), ...loadCorpus('pages')].filter(({ half }) => half === 'tune');
const lessons = pages.map(toLesson);
const names = lessons.find(({ weighed }) => weighed.names.length > 0)?.weighed.names ?? [];

function trainConfidence(): void {
  const trials = foldsOfConfidence.flatMap((parts) => {
    const { second } = predictAcross(names, contextNames, lessons, foldsOf(pages, parts));
    return lessons.flatMap((lesson): Trial[] => {
      const { page } = lesson;
      const answer = answerOf(lesson, second.get(lesson) ?? new Float32Array());
      if (answer.signs === null) return [];
      const f1 = score([page], new Map([[page.id, answer]])).wF1;
      return [{ page: page.id, signs: answer.signs, f1, type: page.gt.type ?? 'article' }];
    });
  });
  const model = fitConfidence(trials);
  console.log(`${trials.length} choices; expected and found F1, by what is expected:`);
  for (const { from, pages: own, expected, f1 } of reliabilityOf(trials, model))
    console.log(`  from ${from.toFixed(2)}   ${own} pages   ${expected.toFixed(3)}   ${f1.toFixed(3)}`);
  writeFileSync(join(modelFolder, confidenceFile), `${JSON.stringify(model, null, 2)}\n`);
}

function trainBlocks(): void {
  const { first, second } = predictAcross(names, contextNames, lessons, foldsOf(pages, folds));
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
  writeFileSync(join(modelFolder, modelFiles[kind]), `${JSON.stringify(model)}\n`);
}

if (process.argv.includes('confidence')) trainConfidence();
else trainBlocks();
