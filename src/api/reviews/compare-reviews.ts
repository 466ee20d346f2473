import type {
  Change,
  ReviewComparison,
  ReviewMetrics,
  ReviewScores,
  StoredReview,
} from '../../shared/schemas/review.ts';

type Findings = Pick<StoredReview, 'scores' | 'metrics' | 'spread' | 'issues'>;

/**
 * What single runs of Lighthouse on an unchanged page differ by; taken where a review has one run and so tells no
 * spread of its own. The checks of security and content always come to the same.
 */
const usualNoise: Record<keyof ReviewScores | keyof ReviewMetrics, number> = {
  overall: 2,
  performance: 5,
  accessibility: 0,
  bestPractices: 0,
  seo: 0,
  security: 0,
  content: 0,
  lcpMs: 200,
  fcpMs: 150,
  cls: 0.01,
  tbtMs: 100,
  speedIndexMs: 300,
  ttfbMs: 50,
};

/** Compares a review with the one before; what is within the spread of the runs is no change. */
export function compareReviews(before: Findings & { id: string }, after: Findings): ReviewComparison {
  const scores = compareFigures('scores', before, after) as ReviewComparison['scores'];
  const metrics = compareFigures('metrics', before, after) as ReviewComparison['metrics'];
  const all = Object.entries<Change>({ ...scores, ...metrics });
  const named = (verdict: Change['verdict']) =>
    all.filter(([, change]) => change.verdict === verdict).map(([name]) => name);
  const isIn = (issues: StoredReview['issues']) => {
    const keys = new Set(issues.map(({ category, id }) => `${category} ${id}`));
    return ({ category, id }: { category: string; id: string }) => keys.has(`${category} ${id}`);
  };
  const [wasThere, isThere] = [isIn(before.issues), isIn(after.issues)];
  return {
    against: before.id,
    scores,
    metrics,
    better: named('better'),
    worse: named('worse'),
    newIssues: after.issues.filter((issue) => !wasThere(issue)),
    goneIssues: before.issues.filter((issue) => !isThere(issue)),
  };
}

function compareFigures(kind: 'scores' | 'metrics', before: Findings, after: Findings) {
  const rises = kind === 'scores';
  return Object.fromEntries(
    Object.entries<number | null>(after[kind]).map(([name, now]) => {
      const was = (before[kind] as Record<string, number | null>)[name] ?? null;
      const noise = Math.max(widthOf(before, kind, name), widthOf(after, kind, name));
      return [name, judge(was, now, { noise, rises })];
    }),
  );
}

function judge(
  before: number | null,
  after: number | null,
  { noise, rises }: { noise: number; rises: boolean },
): Change {
  if (before === null || after === null) return { before, after, change: null, verdict: 'unknown' };
  const change = Number((after - before).toFixed(4));
  const isBetter = rises ? change > 0 : change < 0;
  const verdict = Math.abs(change) <= noise ? 'same' : isBetter ? 'better' : 'worse';
  return { before, after, change, verdict };
}

/** How far the runs of a review lie apart in one figure. */
function widthOf({ spread }: Findings, kind: 'scores' | 'metrics', name: string): number {
  const range = (spread?.[kind] as Record<string, { lowest: number; highest: number } | null> | undefined)?.[
    name
  ];
  if (range) return range.highest - range.lowest;
  return usualNoise[name as keyof typeof usualNoise];
}
