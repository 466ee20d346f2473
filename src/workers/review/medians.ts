import type { ReviewMetrics, ReviewRun, ReviewScores, ReviewSpread } from '../../shared/schemas/review.ts';

type Figures = Record<string, number | null>;

/** Null where no run has the figure. Of an even number of runs the mean of the two in the middle. */
function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  const middle = (known.length - 1) / 2;
  const [low, high] = [known[Math.floor(middle)], known[Math.ceil(middle)]];
  return low === undefined || high === undefined ? null : Number(((low + high) / 2).toFixed(4));
}

export function mediansOf<Kind extends 'scores' | 'metrics'>(
  runs: readonly ReviewRun[],
  kind: Kind,
): ReviewRun[Kind] {
  const names = Object.keys(runs[0]?.[kind] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, medianOf(runs.map((run) => (run[kind] as Figures)[name] ?? null))]),
  ) as ReviewRun[Kind];
}

/** Null for a single run, which says nothing of how far another would lie off. */
export function spreadOf(runs: readonly ReviewRun[]): ReviewSpread {
  if (runs.length < 2) return null;
  const rangesOf = (kind: 'scores' | 'metrics') =>
    Object.fromEntries(
      Object.keys(runs[0]?.[kind] ?? {}).map((name) => {
        const known = runs.map((run) => (run[kind] as Figures)[name] ?? null).filter((it) => it !== null);
        return [
          name,
          known.length === 0 ? null : { lowest: Math.min(...known), highest: Math.max(...known) },
        ];
      }),
    );
  return {
    scores: rangesOf('scores') as Record<keyof ReviewScores, { lowest: number; highest: number } | null>,
    metrics: rangesOf('metrics') as Record<keyof ReviewMetrics, { lowest: number; highest: number } | null>,
  };
}

/** The run whose figure lies nearest to the median: what is told in detail is told of it. */
export function mostTypical<T>(runs: readonly T[], figureOf: (run: T) => number | null): T {
  const median = medianOf(runs.map(figureOf));
  const distance = (run: T) => Math.abs((figureOf(run) ?? Infinity) - (median ?? 0));
  return runs.reduce((best, run) => (distance(run) < distance(best) ? run : best));
}
