import type { seoInsightsBacklinks } from '../../shared/contracts/web/seo-insights-backlinks.ts';
import type { seoInsightsKeywordDifficulty } from '../../shared/contracts/web/seo-insights-keyword-difficulty.ts';
import type { seoInsightsKeywordIdeas } from '../../shared/contracts/web/seo-insights-keyword-ideas.ts';
import type { seoInsightsTraffic } from '../../shared/contracts/web/seo-insights-traffic.ts';
import type { InputOf, OutputOf } from '../../shared/operation.ts';

export type Backlinks = OutputOf<typeof seoInsightsBacklinks>;
export type Traffic = OutputOf<typeof seoInsightsTraffic>;
export type KeywordIdeas = OutputOf<typeof seoInsightsKeywordIdeas>;
export type KeywordDifficulty = OutputOf<typeof seoInsightsKeywordDifficulty>;

/** `domain` is registrable, and the language is said. */
export type DomainQuery = { domain: string };
export type BacklinksQuery = DomainQuery & Pick<InputOf<typeof seoInsightsBacklinks>, 'limit'>;
export interface KeywordQuery {
  keyword: string;
  country: string;
  language: string;
}
export type KeywordIdeasQuery = KeywordQuery & Pick<InputOf<typeof seoInsightsKeywordIdeas>, 'limit'>;

/** One answer in the making. */
export interface SeoRun {
  readonly jobId: string;
  readonly signal: AbortSignal;
  /** When the job is ended, as `performance.now()` counts. */
  readonly deadlineAt: number;
  warn(code: string, message: string): void;
  /** A source of the answer and the day that it speaks of, told to the client in `meta.sources`. */
  tellSource(name: string, asOf: string): void;
  /** What a vendor charged for it, in US dollars; told in `meta.cost`. */
  tellCost(usd: number): void;
}

/** Where SEO figures come from. Which one answers an endpoint is configuration. */
export interface SeoProvider {
  backlinks(query: BacklinksQuery, run: SeoRun): Promise<Backlinks>;
  traffic(query: DomainQuery, run: SeoRun): Promise<Traffic>;
  keywordIdeas(query: KeywordIdeasQuery, run: SeoRun): Promise<KeywordIdeas>;
  keywordDifficulty(query: KeywordQuery, run: SeoRun): Promise<KeywordDifficulty>;
}
