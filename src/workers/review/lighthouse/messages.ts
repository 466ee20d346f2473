import type { ChromiumParts } from '../../browser/chromium-parts.ts';
import type { SandboxPolicy } from '../../browser/sandbox-policy.ts';
import type { ProxyAddress } from '../../../shared/egress/types.ts';
import type { ErrorCode } from '../../../shared/errors.ts';
import type { IssueSeverity, ReviewCategory, ReviewMetrics } from '../../../shared/schemas/review.ts';
import type { Evidence } from '../../../shared/schemas/review.ts';
import type { PageRequest } from '../../page/page-request.ts';
import type { PageFacts } from '../page-facts.ts';

/** The categories that Lighthouse has; the others are ours. */
export const lighthouseCategories = {
  performance: 'performance',
  accessibility: 'accessibility',
  bestPractices: 'best-practices',
  seo: 'seo',
} as const;
export type LighthouseCategory = keyof typeof lighthouseCategories;

/** How a page is measured. */
export interface MeasureRequest extends PageRequest {
  device: 'mobile' | 'desktop';
  categories: readonly LighthouseCategory[];
  /** Our own checks of security are made too. */
  checksSecurity: boolean;
  /** Of the load of the page, in milliseconds. */
  timeoutMs: number;
}

/** What the process of a run is told. */
export interface MeasureOrder extends MeasureRequest {
  parts: ChromiumParts;
  profileFolder: string;
  sandbox: SandboxPolicy;
  proxy: ProxyAddress;
}

export interface MeasuredIssue {
  id: string;
  category: ReviewCategory;
  severity: IssueSeverity;
  title: string;
  description: string;
  evidence: Evidence[];
  evidenceTotal: number;
  fix: string;
  learnMore: string | null;
  /** Points that its category would gain, other issues unchanged. */
  categoryEffect: number;
}

export interface PassedCheck {
  id: string;
  category: ReviewCategory;
  title: string;
}

export interface Frame {
  /** Milliseconds after the start of the load. */
  atMs: number;
  /** `data:` URI of a JPEG. */
  image: string;
}

/** What one run of Lighthouse has found. */
export interface LighthouseRun {
  version: string;
  finalUrl: string;
  /** 0 to 100. */
  scores: Partial<Record<ReviewCategory, number | null>>;
  metrics: ReviewMetrics;
  issues: MeasuredIssue[];
  passed: PassedCheck[];
  /** Lighthouse's own words on what may have disturbed it. */
  warnings: string[];
  filmstrip: Frame[];
}

export interface Measured {
  run: LighthouseRun;
  /** Null where the page did not let itself be read any more. */
  page: PageFacts | null;
  screenshot: { jpeg: Uint8Array; width: number; height: number } | null;
  /** It showed dialogs without end. */
  hasEndedScripts: boolean;
}

/** What the process of a run says, once. */
export type MeasureReply =
  | { kind: 'measured'; measured: Measured }
  /** The page could not be measured; `detail` is for the client. */
  | { kind: 'refused'; code: ErrorCode; detail: string }
  | { kind: 'failed'; message: string; stack: string | undefined };
