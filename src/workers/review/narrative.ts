import type { ReviewCategory, ReviewIssue, ReviewScores } from '../../shared/schemas/review.ts';
import { categoryNames } from './category-names.ts';
import type { Findings } from './gather-findings.ts';

const mostIssues = 12;

/** The findings in plain sentences and in their order. Nothing is praised that was not measured. */
export function describeFindings({ finalUrl, scores, metrics, spread, issues, passed }: Findings): string {
  const paragraphs = [
    `${finalUrl} scores ${scoreText(scores.overall)} overall: ${scoreList(scores)}.`,
    ...(spread?.scores.performance && spread.scores.performance.lowest < spread.scores.performance.highest
      ? [
          `Over the runs the performance score lay between ${spread.scores.performance.lowest} and ${spread.scores.performance.highest}.`,
        ]
      : []),
    metricText(metrics),
    ...issueTexts(issues),
    `${passed.length} ${passed.length === 1 ? 'check' : 'checks'} found nothing.`,
  ];
  return paragraphs.filter((text) => text !== '').join('\n\n');
}

const scoreText = (score: number | null) => (score === null ? 'nothing' : `${score} of 100`);

function scoreList(scores: ReviewScores): string {
  return Object.entries(scores)
    .filter(([name, score]) => name !== 'overall' && score !== null)
    .map(([name, score]) => `${categoryNames[name as ReviewCategory].toLowerCase()} ${score}`)
    .join(', ');
}

function metricText({ lcpMs, cls, tbtMs }: Findings['metrics']): string {
  const parts = [
    lcpMs === null ? null : `its largest element is painted after ${(lcpMs / 1_000).toFixed(1)} s`,
    tbtMs === null ? null : `scripts block it for ${Math.round(tbtMs)} ms`,
    cls === null ? null : `its layout shifts by ${cls.toFixed(2)}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? '' : `Measured: ${parts.join(', ')}.`;
}

function issueTexts(issues: readonly ReviewIssue[]): string[] {
  if (issues.length === 0) return ['No issue was found.'];
  // Lighthouse counts some audits in two categories: what is to be done is said once.
  const distinct = issues.filter(({ id }, at) => issues.findIndex((one) => one.id === id) === at);
  const [first, ...others] = distinct.slice(0, mostIssues);
  const say = ({ title, fix, effect }: ReviewIssue) =>
    `${title.replace(/\.$/, '')}${effect > 0 ? ` (${effect} points)` : ''}. ${fix}`;
  const left = distinct.length - mostIssues;
  return [
    `To mend first: ${first === undefined ? '' : say(first)}`,
    ...others.map((issue, index) => `${index + 2}. ${say(issue)}`),
    ...(left > 0 ? [`${left} more issues count less.`] : []),
  ];
}
