import type {
  Change,
  ReviewComparison,
  ReviewIssue,
  ReviewMetrics,
  ReviewScores,
  StoredReview,
} from '../../shared/schemas/review.ts';

interface Findings extends Pick<StoredReview, 'scores' | 'scoring' | 'metrics' | 'spread' | 'issues'> {
  device: 'mobile' | 'desktop';
}

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

/**
 * Compares a review with the one before; what is within the spread of the runs is no change, and what was reviewed in
 * one of them only, or on another device, is not compared.
 */
export function compareReviews(before: Findings & { id: string }, after: Findings): ReviewComparison {
  const scores = compareFigures('scores', before, after) as ReviewComparison['scores'];
  const metrics = compareFigures('metrics', before, after) as ReviewComparison['metrics'];
  const all = Object.entries<Change>({ ...scores, ...metrics });
  const named = (verdict: Change['verdict']) =>
    all.filter(([, change]) => change.verdict === verdict).map(([name]) => name);
  const isComparable = (category: ReviewIssue['category']) => {
    // A review that is stored may have categories that there are no longer.
    const { verdict = 'unknown' } = (scores as Partial<ReviewComparison['scores']>)[category] ?? {};
    // Where its score is the same, what Lighthouse lists of a load differs by chance.
    return verdict !== 'unknown' && !(category === 'performance' && verdict === 'same');
  };
  const comparable = (issues: StoredReview['issues']) =>
    issues.filter(({ category }) => isComparable(category));
  const [was, now] = [before, after].map(
    ({ issues }) => new Map(comparable(issues).map((issue) => [`${issue.category} ${issue.id}`, issue])),
  ) as [Map<string, ReviewIssue>, Map<string, ReviewIssue>];
  return {
    against: before.id,
    scores,
    metrics,
    better: named('better'),
    worse: named('worse'),
    newIssues: [...now].flatMap(([key, issue]) => (was.has(key) ? [] : issue)),
    goneIssues: [...was].flatMap(([key, issue]) => (now.has(key) ? [] : issue)),
    changedIssues: [...now].flatMap(([key, { id, category, title, evidenceTotal }]) => {
      const earlier = was.get(key)?.evidenceTotal ?? evidenceTotal;
      // What Lighthouse lists of a load differs from run to run.
      if (category === 'performance' || earlier === evidenceTotal) return [];
      return [{ id, category, title, before: earlier, after: evidenceTotal }];
    }),
  };
}

function compareFigures(kind: 'scores' | 'metrics', before: Findings, after: Findings) {
  const rises = kind === 'scores';
  const isSameDevice = before.device === after.device;
  const isSameMean =
    weightsOf(before) === weightsOf(after) && (isSameDevice || !('performance' in after.scoring.weights));
  const isAlike = (name: string) =>
    name === 'overall' ? isSameMean : isSameDevice || (rises && name !== 'performance');
  return Object.fromEntries(
    Object.entries<number | null>(after[kind]).map(([name, now]) => {
      const was = (before[kind] as Record<string, number | null>)[name] ?? null;
      const noise = Math.max(widthOf(before, kind, name), widthOf(after, kind, name));
      return [name, judge(was, now, { noise, rises, isAlike: isAlike(name) })];
    }),
  );
}

const weightsOf = ({ scoring }: Findings) => Object.keys(scoring.weights).toSorted().join();

function judge(
  before: number | null,
  after: number | null,
  { noise, rises, isAlike }: { noise: number; rises: boolean; isAlike: boolean },
): Change {
  if (before === null || after === null || !isAlike)
    return { before, after, change: null, verdict: 'unknown' };
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
