import type { BlockModel } from '../../src/workers/extract/block-model.ts';
import { type Forest, predict } from '../../src/workers/extract/forest.ts';
import { withContext } from '../../src/workers/extract/judge-blocks.ts';
import { growForest, type Growth, type Sample } from './grow-forest.ts';
import type { Lesson } from './lessons.ts';

/** Of the many blocks that are no content, one in so many stands for all. */
const kept = 4;

interface Plan {
  first: Growth;
  second: Growth;
  /** Columns that no tree may ask for: the sizes of a page, by which trees would know the pages that they have seen. */
  without: RegExp;
}

const plan: Plan = {
  first: { trees: 120, leaves: 12, rate: 0.09, minWeight: 10, columns: 0.2, samples: 0.5, l2: 20 },
  second: { trees: 160, leaves: 12, rate: 0.08, minWeight: 10, columns: 0.2, samples: 0.5, l2: 20 },
  without:
    /^page_(?:blocks|chars|links|good|goodChars|prices|codes|comments|articles|structured|readable|readableChars|rootShare|slugWords|pathDepth)$|^massTotal$/,
};

type Rows = ReadonlyMap<Lesson, readonly Float32Array[]>;
type Likely = ReadonlyMap<Lesson, Float32Array>;

function grow(names: readonly string[], lessons: readonly Lesson[], rows: Rows, growth: Growth): Forest {
  const samples = lessons.flatMap((lesson) => {
    return (rows.get(lesson) ?? []).flatMap((row, i): Sample[] => {
      const label = lesson.labels[i] ?? 0;
      if (label === 0 && i % kept !== 0) return [];
      const weight = (lesson.weights[i] ?? 0) * (label === 0 ? kept : 1);
      return weight > 0 ? [{ row, label, weight }] : [];
    });
  });
  return growForest(names, samples, growth, plan.without);
}

/** Predictions for each lesson by a forest that has seen none of its fold. */
function across(
  names: readonly string[],
  lessons: readonly Lesson[],
  fold: readonly number[],
  rows: Rows,
  growth: Growth,
): Likely {
  const found = new Map<Lesson, Float32Array>();
  for (const one of new Set(fold)) {
    const others = lessons.filter((_, i) => fold[i] !== one);
    const forest = grow(names, others, rows, growth);
    for (const lesson of lessons.filter((_, i) => fold[i] === one)) {
      found.set(
        lesson,
        Float32Array.from(rows.get(lesson) ?? [], (row) => predict(forest, row)),
      );
    }
  }
  return found;
}

const rowsOf = (lessons: readonly Lesson[]): Rows =>
  new Map(lessons.map((lesson) => [lesson, lesson.weighed.rows]));
const contextRows = (lessons: readonly Lesson[], likely: Likely): Rows =>
  new Map(
    lessons.map((lesson) => [lesson, withContext(lesson.weighed, likely.get(lesson) ?? new Float32Array())]),
  );

export function predictAcross(
  names: readonly string[],
  contextNames: readonly string[],
  lessons: readonly Lesson[],
  fold: readonly number[],
): { first: Likely; second: Likely } {
  const first = across(names, lessons, fold, rowsOf(lessons), plan.first);
  const second = across([...names, ...contextNames], lessons, fold, contextRows(lessons, first), plan.second);
  return { first, second };
}

/** @param likely what forests that have not seen a lesson said of it: the second model learns from such. */
export function growModel(
  names: readonly string[],
  contextNames: readonly string[],
  lessons: readonly Lesson[],
  likely: Likely,
): BlockModel {
  return {
    first: grow(names, lessons, rowsOf(lessons), plan.first),
    second: grow([...names, ...contextNames], lessons, contextRows(lessons, likely), plan.second),
  };
}
