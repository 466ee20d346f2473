import { categoryWeights, type ReviewCategory, type ReviewScores } from '../../shared/schemas/review.ts';

const formula =
  'overall = the sum of score × weight of the categories that have a score, divided by the sum of their weights. ' +
  'Performance, accessibility, bestPractices and seo are those of Lighthouse, times 100. Security and content are ' +
  '100 × the weights of the checks that found nothing ÷ the weights of the checks that apply to the page; a critical ' +
  'check weighs 10, a serious one 6, a moderate one 3, a minor one 1.';

type CategoryScores = Partial<Record<ReviewCategory, number | null>>;

const counted = (scores: CategoryScores) =>
  (Object.keys(categoryWeights) as ReviewCategory[]).flatMap((name) => {
    const score = scores[name];
    return score == null ? [] : [{ name, score, weight: categoryWeights[name] }];
  });

const totalOf = (list: readonly { weight: number }[]) => list.reduce((sum, { weight }) => sum + weight, 0);

/** All scores, the overall one among them; what was not reviewed is null. */
export function completeScores(scores: CategoryScores): ReviewScores {
  const list = counted(scores);
  const sum = list.reduce((points, { score, weight }) => points + score * weight, 0);
  const of = (name: ReviewCategory) => scores[name] ?? null;
  return {
    overall: list.length === 0 ? null : Math.round((10 * sum) / totalOf(list)) / 10,
    performance: of('performance'),
    accessibility: of('accessibility'),
    bestPractices: of('bestPractices'),
    seo: of('seo'),
    security: of('security'),
    content: of('content'),
  };
}

/** How the overall score was made. */
export function describeScoring(scores: CategoryScores) {
  return { formula, weights: Object.fromEntries(counted(scores).map(({ name, weight }) => [name, weight])) };
}

/** The part of the overall score that a point of a category is. */
export function shareOf(category: ReviewCategory, scores: CategoryScores): number {
  const list = counted(scores);
  const own = list.find(({ name }) => name === category);
  return own === undefined ? 0 : own.weight / totalOf(list);
}
