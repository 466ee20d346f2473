import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import type { Evidence, IssueSeverity } from '../../../shared/schemas/review.ts';
import { plain } from './plain-text.ts';
import { readEvidence } from './read-evidence.ts';
import {
  type Frame,
  type LighthouseCategory,
  lighthouseCategories,
  type LighthouseRun,
  type MeasuredIssue,
} from './messages.ts';
import { pointsWonBy } from './performance-effect.ts';
import { fixes } from './fixes.ts';

export interface AuditResult {
  id: string;
  title: string;
  description: string;
  score: number | null;
  scoreDisplayMode: string;
  displayValue?: string;
  explanation?: string;
  numericValue?: number;
  metricSavings?: Record<string, number>;
  details?: Record<string, unknown>;
}

/** What we read of Lighthouse's own result. */
export interface LighthouseReport {
  lighthouseVersion: string;
  requestedUrl?: string;
  finalDisplayedUrl: string;
  runWarnings: string[];
  runtimeError?: { code: string; message: string };
  categories: Record<
    string,
    { score: number | null; auditRefs: { id: string; weight: number; group?: string }[] } | undefined
  >;
  audits: Record<string, AuditResult | undefined>;
}

/** Lighthouse calls what is below it in need of improvement. */
const passingScore = 0.9;
/** Audits of which our own checks of security say more: those read the headers and the certificate themselves. */
const ours = new Set(['csp-xss', 'has-hsts', 'clickjacking-mitigation', 'redirects-http']);
const mostEvidence = 10;

export interface ReportReader {
  device: 'mobile' | 'desktop';
  /** Our own checks of security are made too. */
  checksSecurity: boolean;
}

/** @throws AppError where Lighthouse could not measure the page. */
export function readReport(
  report: LighthouseReport,
  { device, checksSecurity }: ReportReader,
): LighthouseRun {
  if (report.runtimeError !== undefined) throw toFailure(report.runtimeError);
  const issues: MeasuredIssue[] = [];
  const passed: LighthouseRun['passed'] = [];
  const scores: LighthouseRun['scores'] = {};
  const unscored: string[] = [];
  for (const [name, id] of Object.entries(lighthouseCategories) as [LighthouseCategory, string][]) {
    const category = report.categories[id];
    if (category === undefined) continue;
    scores[name] = category.score === null ? null : Math.round(category.score * 100);
    if (category.score === null) unscored.push(describeUnscored(name, category.auditRefs, report));
    // What was not applicable to the page shares no weight.
    const counted = category.auditRefs.filter(({ id: audit }) => report.audits[audit]?.score != null);
    const totalWeight = counted.reduce((sum, { weight }) => sum + weight, 0);
    for (const { id: auditId, weight, group } of category.auditRefs) {
      const audit = report.audits[auditId];
      if (audit === undefined || audit.score === null || group === 'hidden') continue;
      if (checksSecurity && ours.has(auditId)) continue;
      if (audit.score >= passingScore) {
        passed.push({ id: auditId, category: name, title: plain(audit.title).text });
        continue;
      }
      const lost = totalWeight === 0 ? 0 : (100 * weight * (1 - audit.score)) / totalWeight;
      const categoryEffect = name === 'performance' && weight === 0 ? savingOf(audit, report, device) : lost;
      issues.push(toIssue(audit, { category: name, categoryEffect, weight }));
    }
  }
  return {
    version: report.lighthouseVersion,
    finalUrl: report.finalDisplayedUrl,
    scores,
    metrics: readMetrics(report),
    issues,
    passed,
    warnings: [...report.runWarnings.map((warning) => plain(warning).text), ...unscored],
    filmstrip: readFilmstrip(report.audits['screenshot-thumbnails']),
  };
}

/** Lighthouse scores no category in which an audit that counts has failed by itself. */
function describeUnscored(
  name: LighthouseCategory,
  auditRefs: readonly { id: string; weight: number }[],
  { audits }: LighthouseReport,
): string {
  const failed = auditRefs.filter(({ id, weight }) => weight > 0 && audits[id]?.scoreDisplayMode === 'error');
  const which = failed.length === 0 ? '' : `: it could not make ${failed.map(({ id }) => id).join(', ')}`;
  return `A run of Lighthouse gave ${name} no score${which}. Ask again.`;
}

function savingOf(audit: AuditResult, { audits }: LighthouseReport, device: 'mobile' | 'desktop'): number {
  return pointsWonBy(
    audit.metricSavings ?? {},
    {
      FCP: audits['first-contentful-paint']?.numericValue,
      LCP: audits['largest-contentful-paint']?.numericValue,
      TBT: audits['total-blocking-time']?.numericValue,
      CLS: audits['cumulative-layout-shift']?.numericValue,
    },
    device,
  );
}

function toIssue(
  audit: AuditResult,
  {
    category,
    categoryEffect,
    weight,
  }: Pick<MeasuredIssue, 'category' | 'categoryEffect'> & { weight: number },
): MeasuredIssue {
  const { text: description, link: learnMore } = plain(audit.description);
  const evidence = readEvidence(audit.details);
  const measured: Evidence[] =
    audit.displayValue === undefined
      ? []
      : [{ element: null, selector: null, url: null, value: plain(audit.displayValue).text }];
  const all = [...measured, ...evidence.list];
  const fix = fixes[audit.id] ?? plain(audit.explanation ?? '').text;
  return {
    id: audit.id,
    category,
    severity: severityOf(category, { weight, categoryEffect }),
    title: plain(audit.title).text,
    description,
    evidence: all.slice(0, mostEvidence),
    evidenceTotal: evidence.total + measured.length,
    fix: fix === '' ? description : fix,
    learnMore,
    categoryEffect: Math.round(categoryEffect * 10) / 10,
  };
}

/** Lighthouse's weights of accessibility stand for axe's impact: 10 critical, 7 serious, 3 moderate, 1 minor. */
function severityOf(
  category: MeasuredIssue['category'],
  { weight, categoryEffect }: { weight: number; categoryEffect: number },
): IssueSeverity {
  if (category === 'accessibility')
    return weight >= 10 ? 'critical' : weight >= 7 ? 'serious' : weight >= 3 ? 'moderate' : 'minor';
  if (categoryEffect >= 20) return 'critical';
  if (categoryEffect >= 8) return 'serious';
  return categoryEffect >= 2 ? 'moderate' : 'minor';
}

function readMetrics({ audits }: LighthouseReport): LighthouseRun['metrics'] {
  const valueOf = (id: string, digits = 0): number | null => {
    const value = audits[id]?.numericValue;
    return value === undefined || !Number.isFinite(value) ? null : Number(value.toFixed(digits));
  };
  return {
    lcpMs: valueOf('largest-contentful-paint'),
    fcpMs: valueOf('first-contentful-paint'),
    cls: valueOf('cumulative-layout-shift', 4),
    tbtMs: valueOf('total-blocking-time'),
    speedIndexMs: valueOf('speed-index'),
    ttfbMs: valueOf('server-response-time'),
  };
}

function readFilmstrip(audit: AuditResult | undefined): Frame[] {
  const items = audit?.details?.['items'];
  if (!Array.isArray(items)) return [];
  return (items as { timing?: number; data?: string }[]).flatMap(({ timing, data }) =>
    typeof timing === 'number' && data?.startsWith('data:image/jpeg;base64,') === true
      ? [{ atMs: timing, image: data }]
      : [],
  );
}

export const endlessScript = "The page's script runs without end, so the page cannot be measured.";

const noAnswer = 'The page kept its browser from answering while it was measured.';

/** Its recording of the load is of no use: it lacks the beginning, the requests or the pictures. */
const unrecorded = (code: string): [ErrorCode, string] => [
  'page_crashed',
  `The load of the page could not be recorded as Lighthouse needs it (${code}). Ask again.`,
];

const failures: Record<string, [ErrorCode, string]> = {
  NO_FCP: [
    'page_unresponsive',
    'The page painted nothing while it was measured. Look whether it shows anything without a click, or raise `timeout`.',
  ],
  PROTOCOL_TIMEOUT: ['page_unresponsive', noAnswer],
  CRI_TIMEOUT: ['page_unresponsive', noAnswer],
  PAGE_HUNG: ['page_unresponsive', endlessScript],
  TARGET_CRASHED: ['page_crashed', 'The page crashed while it was measured.'],
  NOT_HTML: ['unsupported_content', 'The target is no HTML page: only pages can be reviewed.'],
  ERRORED_DOCUMENT_REQUEST: [
    'unsupported_content',
    'The target answers with an error status, so there is no page to review.',
  ],
  DNS_FAILURE: ['target_dns_failed', 'The name of the target does not resolve.'],
  INSECURE_DOCUMENT_REQUEST: [
    'target_tls_failed',
    'The certificate of the target is not trusted. `verifyTls: false` reviews the page all the same.',
  ],
  CHROME_INTERSTITIAL_ERROR: [
    'target_tls_failed',
    'The browser refuses the page: its connection is not safe.',
  ],
  FAILED_DOCUMENT_REQUEST: ['target_unreachable', 'The page could not be loaded.'],
  NO_DOCUMENT_REQUEST: ['target_unreachable', 'The page could not be loaded.'],
};

/** Lighthouse's own failures, which it reports or throws. @param message for the log. */
export function toFailure({ code, message }: { code: string; message: string }): AppError {
  const known = failures[code] ?? unrecorded(code);
  return new AppError(...known, { cause: new Error(message) });
}
