import { readFileSync } from 'node:fs';
import { bindForest, type Forest } from './forest.ts';

/** How likely a block is content: by itself, and then by what the first pass says about its neighbours too. */
export interface BlockModel {
  first: Forest;
  second: Forest;
}

/** What somebody wrote and published is told from its surroundings by other signs than what is sold, listed or discussed. */
export const modelFiles = { article: 'block-model.json', other: 'block-model-other.json' } as const;
export type ModelKind = keyof typeof modelFiles;

const models = new Map<ModelKind, BlockModel>();

/**
 * Grown by `npm run bench:content-train`; read when the first page of its kind comes.
 * @param columns names of the features of a block, in the order of its row.
 * @param contextColumns those that follow them for the second pass.
 */
export function getBlockModel(
  kind: ModelKind,
  columns: readonly string[],
  contextColumns: readonly string[],
): BlockModel {
  const known = models.get(kind);
  if (known !== undefined) return known;
  const file = new URL(`./${modelFiles[kind]}`, import.meta.url);
  const { first, second } = JSON.parse(readFileSync(file, 'utf8')) as BlockModel;
  const model: BlockModel = {
    first: bindForest(first, columns),
    second: bindForest(second, [...columns, ...contextColumns]),
  };
  models.set(kind, model);
  return model;
}
