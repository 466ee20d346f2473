import type { Warning } from '../../shared/schemas/job.ts';
import {
  issueSeverities,
  type ReviewCategory,
  type ReviewIssue,
  type ReviewRun,
  type StoredReview,
} from '../../shared/schemas/review.ts';
import { noticeDropped } from '../page/load/lease-notices.ts';
import type { LighthouseRun, MeasuredIssue } from './lighthouse/messages.ts';
import { mediansOf, spreadOf } from './medians.ts';
import { completeScores, describeScoring, shareOf } from './overall-score.ts';
import { type KeptRun, type MeasuredReview, typicalRun, wantsOwnChecks } from './run-review.ts';

/** Share of the machine: from here on a run's timings are likely to be off. */
const busyShare = 0.25;

export interface Findings extends Omit<StoredReview, 'narrative'> {
  warnings: Warning[];
  /** The number of the run whose details are told. */
  typical: number;
}

/** Makes the review of what its runs have measured: medians, their spread, and the issues in order of effect. */
export function gatherFindings(
  { runs, own }: MeasuredReview,
  categories: readonly ReviewCategory[],
): Findings {
  const typical = typicalRun(runs);
  const detailed = runs[typical - 1] as KeptRun;
  const completed: ReviewRun[] = runs.map(({ scores, metrics, otherLoad }) => ({
    scores: completeScores({ ...scores, ...own?.scores }),
    metrics,
    otherLoad,
  }));
  const { overall: _, ...medians } = mediansOf(completed, 'scores');
  const scores = completeScores(medians);
  const issues = [...detailed.issues, ...(own?.issues ?? [])].map((issue) => weigh(issue, medians));
  return {
    finalUrl: detailed.finalUrl,
    statusCode: detailed.statusCode,
    title: detailed.title,
    scores,
    scoring: describeScoring(medians),
    metrics: mediansOf(completed, 'metrics'),
    spread: spreadOf(completed),
    runs: completed,
    issues: issues.toSorted(byEffect),
    passed: [...detailed.passed, ...(own?.passed ?? [])],
    screenshot: runs[0]?.screenshot ?? null,
    tool: { name: 'Lighthouse', version: detailed.version },
    warnings: warningsOf(runs, own !== null || !wantsOwnChecks(categories)),
    typical,
  };
}

function weigh({ categoryEffect, ...issue }: MeasuredIssue, scores: LighthouseRun['scores']): ReviewIssue {
  return { ...issue, effect: Math.round(10 * categoryEffect * shareOf(issue.category, scores)) / 10 };
}

function byEffect(a: ReviewIssue, b: ReviewIssue): number {
  const rank = ({ severity }: ReviewIssue) => issueSeverities.indexOf(severity);
  return b.effect - a.effect || rank(a) - rank(b);
}

const scriptsEnded: Warning = {
  code: 'scripts_ended',
  message:
    'The page showed one dialog after the other, so its scripts were ended; it was measured without what they were still to do.',
};

function warningsOf(runs: readonly KeptRun[], isChecked: boolean): Warning[] {
  const busy = runs.filter(({ otherLoad }) => (otherLoad ?? 0) > busyShare);
  const shares = busy.map(({ otherLoad }) => `${Math.round(100 * (otherLoad ?? 0))} %`).join(', ');
  const own = [...new Set(runs.flatMap((run) => run.warnings))];
  const dropped = Math.max(...runs.map(({ droppedRequests = 0 }) => droppedRequests));
  return [
    ...noticeDropped(dropped),
    ...(runs.some(({ hasEndedScripts }) => hasEndedScripts) ? [scriptsEnded] : []),
    ...(busy.length === 0
      ? []
      : [
          {
            code: 'machine_busy',
            message: `Other programs took ${shares} of the machine during ${busy.length} of ${runs.length} runs: timings may be too high. Ask again in a while, or for more runs.`,
          },
        ]),
    ...(isChecked
      ? []
      : [
          {
            code: 'page_not_read',
            message: 'The page did not answer after it was measured: security and content were not checked.',
          },
        ]),
    ...own.map((message) => ({ code: 'lighthouse', message })),
  ];
}
