import { readFileSync } from 'node:fs';
import { bindForest, type Forest } from './forest.ts';

/** How likely a block is content: by itself, and then by what the first look says about its neighbours too. */
export interface BlockModel {
  first: Forest;
  second: Forest;
}

let model: BlockModel | undefined;

/**
 * Grown by `npm run bench:content-train`; read when the first page comes.
 * @param columns names of the features of a block, in the order of its row.
 * @param contextColumns those that follow them for the second look.
 */
export function getBlockModel(columns: readonly string[], contextColumns: readonly string[]): BlockModel {
  if (model === undefined) {
    const file = new URL('./block-model.json', import.meta.url);
    const { first, second } = JSON.parse(readFileSync(file, 'utf8')) as BlockModel;
    model = {
      first: bindForest(first, columns),
      second: bindForest(second, [...columns, ...contextColumns]),
    };
  }
  return model;
}
