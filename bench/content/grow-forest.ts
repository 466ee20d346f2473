import type { Forest } from '../../src/workers/extract/forest.ts';
import { createRandom } from './random.ts';

export interface Sample {
  row: Float32Array;
  /** 0 to 1. */
  label: number;
  weight: number;
}

export interface Growth {
  trees: number;
  leaves: number;
  rate: number;
  /** Least curvature (samples by weight and doubt) on either side of a split. */
  minWeight: number;
  /** Share of the columns, and of the samples, that each tree sees. */
  columns: number;
  samples: number;
  l2: number;
}

const bins = 64;
type Numbers = Float64Array | Float32Array | Uint8Array | readonly number[];
const at = (list: Numbers, index: number): number => list[index] as number;

interface Column {
  /** Upper bounds of the bins but the last. */
  edges: Float32Array;
  binned: Uint8Array;
}

function binColumn(samples: readonly Sample[], feature: number): Column {
  const values = Float32Array.from(samples, ({ row }) => at(row, feature));
  const sorted = values.toSorted();
  const cuts = new Set(
    Array.from({ length: bins - 1 }, (_, b) => at(sorted, Math.floor(((b + 1) * sorted.length) / bins))),
  );
  const edges = Float32Array.from([...cuts].sort((a, b) => a - b));
  const binned = Uint8Array.from(values, (value) => {
    let [low, high] = [0, edges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value <= at(edges, middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  });
  return { edges, binned };
}

interface Leaf {
  rows: Int32Array;
  node: number;
  value: number;
  gain: number;
  feature: number;
  bin: number;
  /** Of each column that the tree sees and each bin, the gradient and the curvature. */
  sums: Float64Array;
}

/** Histogram-based gradient boosting with logistic loss, leaf by leaf (Friedman 2001; Ke and others 2017). */
export function growForest(
  names: readonly string[],
  samples: readonly Sample[],
  growth: Growth,
  without: RegExp,
): Forest {
  const random = createRandom(7);
  const columns = names.map((_, feature) => binColumn(samples, feature));
  const yes = samples.reduce((sum, { label, weight }) => sum + label * weight, 0);
  const all = samples.reduce((sum, { weight }) => sum + weight, 0);
  const bias = Math.log(yes / (all - yes));
  const sums = new Float64Array(samples.length).fill(bias);
  const trees: number[][] = [];
  const open = [...names.keys()].filter((feature) => !without.test(names[feature] ?? ''));
  const gradients = new Float64Array(samples.length);
  const curvatures = new Float64Array(samples.length);
  while (trees.length < growth.trees) {
    for (const [i, { label, weight }] of samples.entries()) {
      const p = 1 / (1 + Math.exp(-at(sums, i)));
      gradients[i] = (p - label) * weight;
      curvatures[i] = Math.max(1e-9, p * (1 - p) * weight);
    }
    const rows = Int32Array.from([...samples.keys()].filter(() => random() < growth.samples));
    const seen = open.filter(() => random() < growth.columns);
    const tree = growTree({ columns, seen, gradients, curvatures }, rows, growth);
    for (const [i, { row }] of samples.entries()) sums[i] = at(sums, i) + valueOf(tree, row);
    trees.push(tree);
  }
  return { features: names, bias, trees };
}

interface Slopes {
  columns: readonly Column[];
  seen: readonly number[];
  gradients: Float64Array;
  curvatures: Float64Array;
}

function growTree(slopes: Slopes, rows: Int32Array, growth: Growth): number[] {
  const nodes = [-1, 0, 0];
  const leaves = [findSplit(slopes, rows, 0, sumBins(slopes, rows), growth)];
  while (leaves.length < growth.leaves) {
    const leaf = leaves.reduce((best, one) => (one.gain > best.gain ? one : best));
    if (leaf.gain <= 1e-6) break;
    const { edges, binned } = slopes.columns[leaf.feature] as Column;
    const child = nodes.length / 3;
    nodes.splice(leaf.node * 3, 3, leaf.feature, at(edges, leaf.bin), child);
    nodes.push(-1, 0, 0, -1, 0, 0);
    const low = leaf.rows.filter((i) => at(binned, i) <= leaf.bin);
    const high = leaf.rows.filter((i) => at(binned, i) > leaf.bin);
    // What one side has, the other lacks.
    const fewer = sumBins(slopes, low.length < high.length ? low : high);
    const rest = leaf.sums.map((sum, i) => sum - at(fewer, i));
    const [lowSums, highSums] = low.length < high.length ? [fewer, rest] : [rest, fewer];
    leaves[leaves.indexOf(leaf)] = findSplit(slopes, low, child, lowSums, growth);
    leaves.push(findSplit(slopes, high, child + 1, highSums, growth));
  }
  for (const { node, value } of leaves) nodes[node * 3 + 1] = value * growth.rate;
  return nodes;
}

function sumBins({ columns, seen, gradients, curvatures }: Slopes, rows: Int32Array): Float64Array {
  const sums = new Float64Array(seen.length * bins * 2);
  for (const [n, feature] of seen.entries()) {
    const { binned } = columns[feature] as Column;
    for (const i of rows) {
      const place = (n * bins + at(binned, i)) * 2;
      sums[place] = at(sums, place) + at(gradients, i);
      sums[place + 1] = at(sums, place + 1) + at(curvatures, i);
    }
  }
  return sums;
}

/** The best split of a leaf, by the loss that it saves. */
function findSplit(
  { columns, seen, gradients, curvatures }: Slopes,
  rows: Int32Array,
  node: number,
  sums: Float64Array,
  { minWeight, l2 }: Growth,
): Leaf {
  let [gradient, curvature] = [0, 0];
  for (const i of rows) {
    gradient += at(gradients, i);
    curvature += at(curvatures, i);
  }
  const leaf: Leaf = { rows, node, value: -gradient / (curvature + l2), gain: 0, feature: -1, bin: 0, sums };
  const base = gradient ** 2 / (curvature + l2);
  for (const [n, feature] of seen.entries()) {
    const { edges } = columns[feature] as Column;
    let [below, belowCurvature] = [0, 0];
    for (let bin = 0; bin < edges.length; bin++) {
      below += at(sums, (n * bins + bin) * 2);
      belowCurvature += at(sums, (n * bins + bin) * 2 + 1);
      const above = curvature - belowCurvature;
      if (belowCurvature < minWeight || above < minWeight) continue;
      const gain = below ** 2 / (belowCurvature + l2) + (gradient - below) ** 2 / (above + l2) - base;
      if (gain > leaf.gain) Object.assign(leaf, { gain, feature, bin });
    }
  }
  return leaf;
}

function valueOf(tree: readonly number[], row: Float32Array): number {
  let node = 0;
  while (at(tree, node) >= 0) {
    node = 3 * (at(tree, node + 2) + (at(row, at(tree, node)) <= at(tree, node + 1) ? 0 : 1));
  }
  return at(tree, node + 1);
}
