import type { EgressCertificate } from '../../../shared/egress/types.ts';
import type { Evidence, IssueSeverity, ReviewCategory } from '../../../shared/schemas/review.ts';
import type { MeasuredIssue, PassedCheck } from '../lighthouse/messages.ts';
import type { CookieFacts, PageFacts, ElementLocation } from '../page-facts.ts';

/** What was asked of the site beside the page itself; null where it was not asked, or did not answer. */
export interface SiteProbes {
  securityTxt: { status: number; text: string } | null;
  /** Where the page's address with http instead of https leads. */
  plainHttp: { finalUrl: string } | null;
  links: { url: string; reason: string; isBroken: boolean }[];
  images: { url: string; reason: string; isBroken: boolean }[];
  /** The server takes TLS before 1.2 too; null where that cannot be told. */
  takesOldTls: boolean | null;
  /** Other pages of the site. */
  neighbours: { url: string; title: string }[];
}

/** Everything that our own checks look at. */
export interface SiteFacts {
  /** The answer that the page came in. */
  document: {
    url: string;
    /** Lower-case names; several cookies are separated by newlines. */
    headers: Record<string, string>;
    certificate: EgressCertificate | null;
    cookies: CookieFacts[];
  };
  page: PageFacts;
  probes: SiteProbes;
  now: Date;
}

export interface Check {
  id: string;
  category: ReviewCategory;
  severity: IssueSeverity;
  title: string;
  /** Its title where nothing was found. */
  passed: string;
  description: string;
  fix: string;
  learnMore?: string;
  /** What is wrong; an empty list where nothing is, null where the check does not apply to the page. */
  find(facts: SiteFacts): readonly Partial<Evidence>[] | null;
}

/** What a check counts in the score of its category. */
const severityWeights: Readonly<Record<IssueSeverity, number>> = {
  critical: 10,
  serious: 6,
  moderate: 3,
  minor: 1,
};

const mostEvidence = 10;
const mostText = 300;

const noEvidence: Evidence = { element: null, selector: null, url: null, value: null };

export const at = ({ selector, element }: ElementLocation) => ({ selector, element });

export interface Checked {
  score: number | null;
  issues: MeasuredIssue[];
  passed: PassedCheck[];
}

/**
 * The score is 100 times the weights of the checks that found nothing, of the weights of all that apply to the page;
 * null where none does.
 */
export function runChecks(checks: readonly Check[], facts: SiteFacts): Checked {
  const results = checks.flatMap((check) => {
    const found = check.find(facts);
    return found === null ? [] : [{ check, found, weight: severityWeights[check.severity] }];
  });
  const total = results.reduce((sum, { weight }) => sum + weight, 0);
  const lost = results.reduce((sum, { found, weight }) => sum + (found.length > 0 ? weight : 0), 0);
  return {
    score: total === 0 ? null : Math.round(100 * (1 - lost / total)),
    issues: results
      .filter(({ found }) => found.length > 0)
      .map(({ check, found, weight }) => toIssue(check, found, (100 * weight) / total)),
    passed: results
      .filter(({ found }) => found.length === 0)
      .map(({ check: { id, category, passed: title } }) => ({ id, category, title })),
  };
}

function toIssue(
  { id, category, severity, title, description, fix, learnMore }: Check,
  found: readonly Partial<Evidence>[],
  effect: number,
): MeasuredIssue {
  return {
    id,
    category,
    severity,
    title,
    description,
    fix,
    learnMore: learnMore ?? null,
    evidence: found.slice(0, mostEvidence).map((one) => {
      const { element, selector, url, value } = { ...noEvidence, ...one };
      const cut = (text: string | null) => text?.slice(0, mostText) ?? null;
      return {
        element: cut(element),
        selector: cut(selector),
        url: url?.slice(0, 2_000) ?? null,
        value: cut(value),
      };
    }),
    evidenceTotal: found.length,
    categoryEffect: Math.round(effect * 10) / 10,
  };
}
