type Metric = 'FCP' | 'LCP' | 'TBT' | 'CLS';

/**
 * Lighthouse's scoring curves (log-normal: score 0.9 at `p10`, 0.5 at `median`) and the weights of its performance
 * score in percent. https://developer.chrome.com/docs/lighthouse/performance/performance-scoring
 */
const curves: Record<
  'mobile' | 'desktop',
  Record<Metric, { p10: number; median: number; weight: number }>
> = {
  mobile: {
    FCP: { p10: 1_800, median: 3_000, weight: 10 },
    LCP: { p10: 2_500, median: 4_000, weight: 25 },
    TBT: { p10: 200, median: 600, weight: 30 },
    CLS: { p10: 0.1, median: 0.25, weight: 25 },
  },
  desktop: {
    FCP: { p10: 934, median: 1_600, weight: 10 },
    LCP: { p10: 1_200, median: 2_400, weight: 25 },
    TBT: { p10: 150, median: 350, weight: 30 },
    CLS: { p10: 0.1, median: 0.25, weight: 25 },
  },
};

/** Points of the performance score that are won where the metrics fall by these savings. */
export function pointsWonBy(
  savings: Partial<Record<string, number>>,
  values: Record<Metric, number | undefined>,
  device: 'mobile' | 'desktop',
): number {
  let points = 0;
  for (const [metric, curve] of Object.entries(curves[device]) as [
    Metric,
    (typeof curves)['mobile'][Metric],
  ][]) {
    const value = values[metric];
    const saving = savings[metric];
    if (value === undefined || saving === undefined || saving <= 0) continue;
    points += curve.weight * (scoreOf(Math.max(0, value - saving), curve) - scoreOf(value, curve));
  }
  return points;
}

/** The share of a log-normal distribution that is worse than `value`, 0 to 1. */
function scoreOf(value: number, { p10, median }: { p10: number; median: number }): number {
  if (value <= 0) return 1;
  /** The standard normal distribution's quantile of 0.9. */
  const ninetieth = 1.2815515655446004;
  const sigma = Math.log(median / p10) / ninetieth;
  return 1 - normalShareBelow(Math.log(value / median) / sigma);
}

/** Abramowitz and Stegun, formula 26.2.17: exact to 7.5e-8. */
function normalShareBelow(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  const series =
    ((((1.330274429 * t - 1.821255978) * t + 1.781477937) * t - 0.356563782) * t + 0.31938153) * t;
  return x >= 0 ? 1 - density * series : density * series;
}
