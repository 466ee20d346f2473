import type { Block, Scope } from './blocks.ts';
import { shapeOf } from './alike-blocks.ts';
import { at } from './block-measures.ts';

const steps = [-4, -3, -2, -1, 1, 2, 3, 4];
const reaches = [5, 15];
const levels = 5;
/** Characters; of what stands alike, one long text says no more than several short ones. */
const mostAlike = 200;

export const contextNames: readonly string[] = [
  'likely',
  ...steps.map((step) => `likely${step}`),
  ...reaches.flatMap((reach) => [`likelyBefore${reach}`, `likelyAfter${reach}`]),
  'massBefore',
  'massTotal',
  'massShare',
  ...Array.from({ length: levels }, (_, n) => [`in${n + 1}_likely`, `in${n + 1}_massShare`]).flat(),
  'alike_likely',
  'alike_most',
  'alike_count',
];

const log = (value: number): number => Math.log2(1 + Math.max(0, value));

/** One row a block, its columns `contextNames`. What the first pass over all blocks says about the surroundings of each: the second look weighs it. */
export function describeContext(
  blocks: readonly Block[],
  chars: readonly number[],
  likely: Float32Array,
): { rows: Float32Array[] } {
  const size = blocks.length;
  const mass = new Float64Array(size + 1);
  const whole = new Float64Array(size + 1);
  for (let i = 0; i < size; i++) {
    mass[i + 1] = at(mass, i) + at(likely, i) * (chars[i] ?? 0);
    whole[i + 1] = at(whole, i) + (chars[i] ?? 0);
  }
  const shareOf = (first: number, end: number): number => {
    const all = at(whole, end) - at(whole, first);
    return all > 0 ? (at(mass, end) - at(mass, first)) / all : 0;
  };
  const total = at(mass, size);
  const alike = describeAlike(blocks, chars, likely);
  const rows = blocks.map((block, i) => {
    const values = [at(likely, i)];
    for (const step of steps) values.push(i + step < 0 || i + step >= size ? -1 : at(likely, i + step));
    for (const reach of reaches) {
      values.push(shareOf(Math.max(0, i - reach), i), shareOf(i + 1, Math.min(size, i + 1 + reach)));
    }
    values.push(total > 0 ? at(mass, i) / total : 0, log(total), shareOf(0, size));
    let scope: Scope | null = block.scope;
    for (let n = 1; n <= levels; n++) {
      const [first, end]: [number, number] = scope === null ? [0, size] : [scope.first, scope.end];
      const inside = at(mass, end) - at(mass, first);
      values.push(shareOf(first, end), total > 0 ? inside / total : 0);
      while (scope !== null && scope.end - scope.first <= end - first) scope = scope.parent;
    }
    values.push(...(alike[i] as readonly number[]));
    return Float32Array.from(values);
  });
  return { rows };
}

/** Of each block, how likely those are that stand alike, on the average and at most, and how many they are. */
function describeAlike(
  blocks: readonly Block[],
  chars: readonly number[],
  likely: Float32Array,
): (readonly number[])[] {
  const rows: (readonly number[])[] = [];
  for (const alike of Map.groupBy(blocks.keys(), (i) => shapeOf(blocks[i] as Block)).values()) {
    let [sum, weight, most] = [0, 0, 0];
    for (const i of alike) {
      const own = Math.min(mostAlike, chars[i] ?? 0);
      sum += own * at(likely, i);
      weight += own;
      most = Math.max(most, at(likely, i));
    }
    const row = [weight > 0 ? sum / weight : 0, most, log(alike.length)];
    for (const i of alike) rows[i] = row;
  }
  return rows;
}
