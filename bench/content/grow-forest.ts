import type { Forest } from '../../src/workers/extract/forest.ts';

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

/** mulberry32: the same samples give the same forest. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

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
}

/** Histogram-based gradient boosting with logistic loss, leaf by leaf (Friedman 2001; Ke and others 2017). */
export function growForest(names: readonly string[], samples: readonly Sample[], growth: Growth): Forest {
  const random = createRandom(7);
  const columns = names.map((_, feature) => binColumn(samples, feature));
  const yes = samples.reduce((sum, { label, weight }) => sum + label * weight, 0);
  const all = samples.reduce((sum, { weight }) => sum + weight, 0);
  const bias = Math.log(yes / (all - yes));
  const sums = new Float64Array(samples.length).fill(bias);
  const trees: number[][] = [];
  while (trees.length < growth.trees) {
    const slopes = samples.map(({ label, weight }, i) => {
      const p = 1 / (1 + Math.exp(-at(sums, i)));
      return { gradient: (p - label) * weight, curvature: Math.max(1e-9, p * (1 - p) * weight) };
    });
    const rows = Int32Array.from([...samples.keys()].filter(() => random() < growth.samples));
    const seen = [...names.keys()].filter(() => random() < growth.columns);
    const gradients = Float64Array.from(slopes, ({ gradient }) => gradient);
    const curvatures = Float64Array.from(slopes, ({ curvature }) => curvature);
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
  const leaves = [findSplit(slopes, rows, 0, growth)];
  while (leaves.length < growth.leaves) {
    const leaf = leaves.reduce((best, one) => (one.gain > best.gain ? one : best));
    if (leaf.gain <= 1e-6) break;
    const { edges, binned } = slopes.columns[leaf.feature] as Column;
    const child = nodes.length / 3;
    nodes.splice(leaf.node * 3, 3, leaf.feature, at(edges, leaf.bin), child);
    nodes.push(-1, 0, 0, -1, 0, 0);
    const low = leaf.rows.filter((i) => at(binned, i) <= leaf.bin);
    const high = leaf.rows.filter((i) => at(binned, i) > leaf.bin);
    leaves[leaves.indexOf(leaf)] = findSplit(slopes, low, child, growth);
    leaves.push(findSplit(slopes, high, child + 1, growth));
  }
  for (const { node, value } of leaves) nodes[node * 3 + 1] = value * growth.rate;
  return nodes;
}

/** The best split of a leaf, by the loss that it saves. */
function findSplit(slopes: Slopes, rows: Int32Array, node: number, { minWeight, l2 }: Growth): Leaf {
  const { columns, seen, gradients, curvatures } = slopes;
  let [gradient, curvature] = [0, 0];
  for (const i of rows) {
    gradient += at(gradients, i);
    curvature += at(curvatures, i);
  }
  const leaf: Leaf = { rows, node, value: -gradient / (curvature + l2), gain: 0, feature: -1, bin: 0 };
  const base = gradient ** 2 / (curvature + l2);
  const g = new Float64Array(bins);
  const h = new Float64Array(bins);
  for (const feature of seen) {
    const { edges, binned } = columns[feature] as Column;
    g.fill(0);
    h.fill(0);
    for (const i of rows) {
      const bin = at(binned, i);
      g[bin] = at(g, bin) + at(gradients, i);
      h[bin] = at(h, bin) + at(curvatures, i);
    }
    let [below, belowCurvature] = [0, 0];
    for (let bin = 0; bin < edges.length; bin++) {
      below += at(g, bin);
      belowCurvature += at(h, bin);
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
