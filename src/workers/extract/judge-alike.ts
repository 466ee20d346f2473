import { shapeOf } from './alike-blocks.ts';
import { at } from './block-measures.ts';
import type { Block } from './blocks.ts';

const fewestAlike = 3;
/** Characters; of what stands alike, one long text says no more than several short ones. */
const mostHeard = 200;
const surest = 1e-4;

const logOdds = (p: number): number => Math.log(Math.max(surest, p) / Math.max(surest, 1 - p));

/**
 * Blocks that stand alike are content alike: names, prices and texts of the items of a list. Each of them is as likely as
 * they are on the average, by log odds.
 * @param beside of each block, whether it stands in a menu, a foot or the like.
 */
export function judgeAlike(
  blocks: readonly Block[],
  beside: readonly boolean[],
  likely: Float32Array,
): Float32Array {
  const even = likely.slice();
  const kinds = Map.groupBy(blocks.keys(), (i) => `${beside[i] ?? false} ${shapeOf(blocks[i] as Block)}`);
  for (const alike of kinds.values()) {
    if (alike.length < fewestAlike) continue;
    let [sum, weight] = [0, 0];
    for (const i of alike) {
      const heard = Math.min(mostHeard, blocks[i]?.text.length ?? 0);
      sum += heard * logOdds(at(likely, i));
      weight += heard;
    }
    if (weight > 0) for (const i of alike) even[i] = 1 / (1 + Math.exp(-sum / weight));
  }
  return even;
}
