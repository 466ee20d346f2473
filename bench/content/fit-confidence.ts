import { type ConfidenceModel, expectQuality, type Signs } from '../../src/workers/extract/confidence.ts';
import { mean } from './scores.ts';

/** A choice of blocks, and how good it was. */
export interface Trial {
  /** By its id; several choices are of the same page. */
  page: string;
  signs: Signs;
  f1: number;
  type: string;
}

const columns = ['promised', 'widened', 'agreed', 'readable'] as const;
const l2 = 5;
const steps = 30;

/** Fractional logistic regression (Papke, Wooldridge 1996) by Newton's method, ridged; each type of page weighs the same. */
export function fitConfidence(trials: readonly Trial[]): ConfidenceModel {
  const counts = Map.groupBy(trials, ({ type }) => type);
  const means = columns.map((name) => mean(trials.map(({ signs }) => signs[name])));
  const spread = columns.map(
    (name, k) => Math.sqrt(mean(trials.map(({ signs }) => (signs[name] - (means[k] ?? 0)) ** 2))) || 1,
  );
  const rows = trials.map(({ signs }) => [
    1,
    ...columns.map((name, k) => (signs[name] - (means[k] ?? 0)) / (spread[k] ?? 1)),
  ]);
  const weights = trials.map(({ type }) => trials.length / counts.size / (counts.get(type)?.length ?? 1));
  const found = [0, ...columns.map(() => 0)];
  for (let step = 0; step < steps; step++) {
    const gradient = found.map((value, k) => (k === 0 ? 0 : -l2 * value));
    const places = [...found.keys()];
    const curve = places.map((k) => places.map((m): number => (k === m && k > 0 ? l2 : 0)));
    for (const [i, row] of rows.entries()) {
      const p = 1 / (1 + Math.exp(-row.reduce((sum, value, k) => sum + value * (found[k] ?? 0), 0)));
      const weight = weights[i] ?? 0;
      for (const [k, value] of row.entries()) {
        gradient[k] = (gradient[k] ?? 0) + weight * value * ((trials[i]?.f1 ?? 0) - p);
        const line = curve[k] ?? [];
        for (const [m, other] of row.entries())
          line[m] = (line[m] ?? 0) + weight * value * other * p * (1 - p);
      }
    }
    for (const [k, change] of solve(curve, gradient).entries()) found[k] = (found[k] ?? 0) + change;
  }
  const slopes = columns.map((_, k) => (found[k + 1] ?? 0) / (spread[k] ?? 1));
  const bias = slopes.reduce((sum, slope, k) => sum - slope * (means[k] ?? 0), found[0] ?? 0);
  const named = columns.map((name, k) => [name, +(slopes[k] ?? 0).toFixed(3)] as const);
  return { bias: +bias.toFixed(3), weights: Object.fromEntries(named) as unknown as Signs };
}

const bounds = [0, 0.3, 0.5, 0.6, 0.7, 0.78, 0.85, 0.92];

/** Of choices about which a model is as sure: how many pages they are of, the F1 that it expects, and what it was. */
export function reliabilityOf(
  trials: readonly Trial[],
  model: ConfidenceModel,
): { from: number; pages: number; expected: number; f1: number }[] {
  const rows = trials.map((trial) => ({ ...trial, expected: expectQuality(trial.signs, model) }));
  return bounds.flatMap((from, at) => {
    const own = rows.filter(({ expected }) => expected >= from && expected < (bounds[at + 1] ?? Infinity));
    if (own.length === 0) return [];
    const pages = new Set(own.map(({ page }) => page)).size;
    return [
      { from, pages, expected: mean(own.map((row) => row.expected)), f1: mean(own.map((row) => row.f1)) },
    ];
  });
}

/** Gauss-Jordan; the matrix is positive definite. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, k) => [...row, right[k] ?? 0]);
  for (const [k, pivot] of rows.entries()) {
    const head = pivot[k] ?? 1;
    for (let m = 0; m < pivot.length; m++) pivot[m] = (pivot[m] ?? 0) / head;
    for (const [other, row] of rows.entries()) {
      const factor = row[k] ?? 0;
      if (other !== k) for (let m = 0; m < row.length; m++) row[m] = (row[m] ?? 0) - factor * (pivot[m] ?? 0);
    }
  }
  return rows.map((row) => row.at(-1) ?? 0);
}
