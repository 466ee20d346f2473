import { z } from 'zod';
import { jobStatuses } from './job.ts';
import { tokenUsage } from './summary.ts';

/** Those of Lighthouse, then our own. */
export const reviewCategories = [
  'performance',
  'accessibility',
  'bestPractices',
  'seo',
  'security',
  'content',
] as const;
export type ReviewCategory = (typeof reviewCategories)[number];

/** Parts of the overall score; where categories are left out, the others share it in this proportion. */
export const categoryWeights: Readonly<Record<ReviewCategory, number>> = {
  performance: 25,
  accessibility: 20,
  bestPractices: 10,
  seo: 15,
  security: 20,
  content: 10,
};

export const issueSeverities = ['critical', 'serious', 'moderate', 'minor'] as const;
export type IssueSeverity = (typeof issueSeverities)[number];

export const reviewReportFile = 'report.html';
export const reviewScreenshotFile = 'screenshot.jpeg';

/** What a review answers besides JSON. */
export const reviewRepresentations = { 'text/html': { file: () => reviewReportFile } } as const;

const score = z.number().min(0).max(100).nullable();

const reviewScores = z.object({
  overall: score.describe('Weighted mean of the categories below; `scoring` has the formula.'),
  performance: score,
  accessibility: score,
  bestPractices: score,
  seo: score,
  security: score,
  content: score,
});
export type ReviewScores = z.output<typeof reviewScores>;

const figure = z.number().min(0).nullable();

const reviewMetrics = z.object({
  lcpMs: figure.describe('Largest Contentful Paint.'),
  fcpMs: figure.describe('First Contentful Paint.'),
  cls: figure.describe('Cumulative Layout Shift, without a unit.'),
  tbtMs: figure.describe('Total Blocking Time.'),
  speedIndexMs: figure,
  ttfbMs: figure.describe('Time that the server took to the first byte of the document.'),
});
export type ReviewMetrics = z.output<typeof reviewMetrics>;

const evidence = z.object({
  element: z.string().nullable().describe('Beginning of the HTML of the element.'),
  selector: z.string().nullable().describe('CSS selector of the element.'),
  url: z.string().nullable(),
  value: z.string().nullable().describe('What was found: a header, a text, a ratio.'),
});
export type Evidence = z.output<typeof evidence>;

const reviewIssue = z.object({
  id: z.string().describe('Stable; an audit of Lighthouse keeps its id.'),
  category: z.enum(reviewCategories),
  severity: z.enum(issueSeverities),
  title: z.string(),
  description: z.string(),
  evidence: z.array(evidence).describe('The first ten pieces of evidence.'),
  evidenceTotal: z
    .int()
    .describe('How many there are in all; our own checks look at no more than 500 elements of a kind.'),
  fix: z.string().describe('What to do about it.'),
  learnMore: z.string().nullable().describe('A page that explains it.'),
  effect: z
    .number()
    .describe(
      'Points that the overall score would gain if only this issue were fixed; 0 if it does not count.',
    ),
});
export type ReviewIssue = z.output<typeof reviewIssue>;

const range = z.object({ lowest: z.number(), highest: z.number() }).nullable();
const rangesOf = <Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) =>
  z.object(Object.fromEntries(Object.keys(shape).map((name) => [name, range]))) as z.ZodObject<{
    [Name in keyof Shape]: typeof range;
  }>;

const spread = z
  .object({ scores: rangesOf(reviewScores), metrics: rangesOf(reviewMetrics) })
  .nullable()
  .describe('Lowest and highest over the runs; null for one run.');
export type ReviewSpread = z.output<typeof spread>;

const narrative = z.object({
  text: z.string().describe('The findings in order, and what to fix first.'),
  model: z
    .string()
    .describe('The model that wrote it; `quarry/extractive` puts the findings into plain sentences.'),
  usage: tokenUsage,
});

const reviewRun = z.object({
  scores: reviewScores,
  metrics: reviewMetrics,
  otherLoad: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe(
      'Share of the machine that other programs used during the run; null when it cannot be measured.',
    ),
});
export type ReviewRun = z.output<typeof reviewRun>;

const findings = {
  finalUrl: z.string().describe('After redirects.'),
  title: z.string().nullable(),
  scores: reviewScores,
  scoring: z.object({
    formula: z.string(),
    weights: z.partialRecord(z.enum(reviewCategories), z.number()),
  }),
  metrics: reviewMetrics,
  spread,
  runs: z.array(reviewRun).describe('Every single run; `scores` and `metrics` are their medians.'),
  issues: z.array(reviewIssue).describe('Ordered by effect, then by severity.'),
  passed: z.array(z.object({ id: z.string(), category: z.enum(reviewCategories), title: z.string() })),
  narrative: narrative.nullable(),
  tool: z.object({ name: z.string(), version: z.string() }),
};

/** What the worker stores. */
export const storedReview = z.object({
  ...findings,
  statusCode: z.int(),
  screenshot: z
    .object({ width: z.int(), height: z.int(), bytes: z.int(), sha256: z.string() })
    .nullable()
    .describe('Null if no screenshot could be taken.'),
});
export type StoredReview = z.output<typeof storedReview>;

const change = z.object({
  before: z.number().nullable(),
  after: z.number().nullable(),
  change: z.number().nullable().describe('The new value minus the old one.'),
  verdict: z
    .enum(['better', 'worse', 'same', 'unknown'])
    .describe(
      '`same` also where the difference is within what repeated runs differ by; `unknown` where one of the reviews does not have it, or the two are unlike: of other devices, the overall score of other categories.',
    ),
});
export type Change = z.output<typeof change>;
const changesOf = <Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) =>
  z.object(Object.fromEntries(Object.keys(shape).map((name) => [name, change]))) as z.ZodObject<{
    [Name in keyof Shape]: typeof change;
  }>;

const reviewComparison = z.object({
  against: z.string().describe('The earlier review.'),
  scores: changesOf(reviewScores),
  metrics: changesOf(reviewMetrics),
  better: z.array(z.string()).describe('Names of scores and metrics that are better now.'),
  worse: z.array(z.string()),
  newIssues: z
    .array(reviewIssue)
    .describe('Issues found now but not before, in categories with a score in both reviews.'),
  goneIssues: z
    .array(reviewIssue)
    .describe('Issues found before but not now, in categories with a score in both reviews.'),
  changedIssues: z
    .array(
      z.object({
        id: z.string(),
        category: z.enum(reviewCategories),
        title: z.string(),
        before: z.int(),
        after: z.int(),
      }),
    )
    .describe('Issues found both times with a different `evidenceTotal`, except those of performance.'),
});
export type ReviewComparison = z.output<typeof reviewComparison>;

/** What the client sees. Until the job has succeeded, everything that was to be found is null. */
export const reviewRecord = z.object({
  reviewId: z.uuid().describe("The job's id."),
  status: z.enum(jobStatuses),
  url: z.string(),
  finalUrl: findings.finalUrl.nullable(),
  title: findings.title,
  device: z.enum(['mobile', 'desktop']),
  scores: findings.scores.nullable(),
  scoring: findings.scoring.nullable(),
  metrics: findings.metrics.nullable(),
  spread: findings.spread,
  runs: findings.runs.nullable(),
  issues: findings.issues.nullable(),
  passed: findings.passed.nullable(),
  narrative: findings.narrative,
  screenshotId: z
    .uuid()
    .nullable()
    .describe('Id for `GET /screenshot/{id}`, which shows the page as it was measured.'),
  reportUrl: z.string().nullable().describe('Signed link to the report as a page of its own.'),
  tool: findings.tool.nullable(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  comparison: reviewComparison.optional().describe('Only with `against`.'),
});
