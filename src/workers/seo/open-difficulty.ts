import { getDomain } from 'tldts';
import { countReferringDomains, type ReferrerCount } from '../../shared/db/backlinks.ts';
import type { Db } from '../../shared/db/client.ts';
import { findRanks, listSeoDatasets } from '../../shared/db/seo-datasets.ts';
import { AppError } from '../../shared/errors.ts';
import { authorityOf, chooseRanks, describeAuthority, linkIndex, sourceName } from './authority.ts';
import { type Reason, withCoverage } from './coverage.ts';
import { bandOf } from './difficulty-band.ts';
import { chooseGraph, type ImportedGraph } from './graph.ts';
import type { KeywordDifficulty, KeywordQuery, SeoRun } from './provider.ts';
import { search, type SearchResult } from './searxng.ts';
import type { Ask } from './upstream.ts';
import { hasPhrase } from './words.ts';

type Factor = KeywordDifficulty['factors'][number];
type Placed = KeywordDifficulty['serp'][number];

const firstPage = 10;
/** Domains that link to who has most of them; more make nothing harder. */
const manyReferrers = 100_000;

/** The upper places count more: who comes in at the tenth displaces the weakest. */
function meanByPlace(values: readonly (number | null)[]): number | null {
  const known = values.flatMap((value, index) =>
    value === null ? [] : [{ value, weight: 1 / Math.log2(index + 2) }],
  );
  // Of fewer than half it would be the mean of chance.
  if (known.length === 0 || known.length < values.length / 2) return null;
  const weight = known.reduce((sum, one) => sum + one.weight, 0);
  return Math.round(known.reduce((sum, one) => sum + one.value * one.weight, 0) / weight);
}

/** What the score is made of; all that rank now are seen together. */
function weigh(
  keyword: string,
  serp: readonly Placed[],
  referrers: ReadonlyMap<string, ReferrerCount>,
): Factor[] {
  const titles = serp.flatMap(({ title }) => title.trim() || []);
  const titled = titles.filter((title) => hasPhrase(title, keyword)).length;
  const links = serp.map(({ domain }) => {
    const known = referrers.get(domain);
    if (known === undefined) return null;
    const count = Math.max(known.seen, known.inGraph);
    return Math.min(100, (100 * Math.log1p(count)) / Math.log1p(manyReferrers));
  });
  return [
    {
      name: 'authority',
      weight: 0.6,
      value: meanByPlace(serp.map(({ authority }) => authority)),
      explanation:
        'Mean authority of the domains that rank, the upper places counting more (1 / log2(place + 1)).',
    },
    {
      name: 'links',
      weight: 0.2,
      value: meanByPlace(links),
      explanation: `Mean of their referring domains on a logarithmic scale, 100 being ${manyReferrers} or more.`,
    },
    {
      name: 'exactTitles',
      weight: 0.2,
      value:
        titles.length === 0 || titles.length < serp.length / 2
          ? null
          : Math.round((100 * titled) / titles.length),
      explanation: 'Share of the results that have the very keyword in their title.',
    },
  ];
}

function place(results: readonly SearchResult[]): Omit<Placed, 'authority'>[] {
  return results.slice(0, firstPage).map(({ url, title }, index) => {
    const { hostname } = new URL(url);
    const domain = getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
    return { position: index + 1, url, domain, title };
  });
}

/**
 * From the first ten results of a search engine and what is known of their domains.
 * @throws AppError `not_configured` without a search engine; `upstream_failed`.
 */
export async function scoreDifficulty(
  db: Db,
  searxngUrl: URL | undefined,
  query: KeywordQuery,
  ask: Ask,
  run: SeoRun,
): Promise<KeywordDifficulty> {
  if (searxngUrl === undefined) {
    throw new AppError(
      'not_configured',
      'No source of search results is configured. Set SEARXNG_URL to a SearXNG that answers JSON, or SEO_PROVIDERS=keyword-difficulty=dataforseo.',
    );
  }
  const { results, asOf, unresponsive } = await search(searxngUrl, query, ask);
  run.tellSource('SearXNG', asOf);
  if (unresponsive.length > 0)
    run.warn('engine_failed', `Engines that did not answer SearXNG: ${unresponsive.join(', ')}.`);
  const placed = place(results);
  const domains = [...new Set(placed.map(({ domain }) => domain))];
  const datasets = await listSeoDatasets(db);
  const ranks = chooseRanks(datasets);
  const graph = chooseGraph(datasets);
  const [positions, referrers] = await Promise.all([
    ranks === null ? new Map<string, number>() : findRanks(db, ranks.id, domains),
    countReferringDomains(db, graph, domains),
  ]);
  const serp = placed.map((one) => {
    const position = positions.get(one.domain);
    return {
      ...one,
      authority: position === undefined || ranks === null ? null : authorityOf(position, ranks.rowCount),
    };
  });
  const factors = weigh(query.keyword, serp, referrers);
  const isScored = factors.every(({ value }) => value !== null);
  const difficulty = isScored
    ? Math.round(factors.reduce((sum, { weight, value }) => sum + weight * (value ?? 0), 0))
    : null;
  const answer = { ...query, difficulty, band: bandOf(difficulty), factors, serp };
  const ofSerp = { source: 'SearXNG', asOf, confidence: 'medium' as const, share: null };
  const firstTen = 'The first ten results of the engines that this SearXNG asks, in its order.';
  const ofFactors: Figures = [
    { figure: 'factors.exactTitles', ...ofSerp, method: 'The titles of `serp`.' },
    ...(ranks === null
      ? []
      : ['factors.authority', 'serp.authority'].map((figure) => ({
          figure,
          ...describeAuthority(ranks),
          share: null,
        }))),
    ...describeReferrers(graph, [...referrers.values()]),
  ];
  for (const told of ofFactors) run.tellSource(told.source, told.asOf);
  return withCoverage(answer, {
    figures: [
      { figure: 'serp', ...ofSerp, method: firstTen },
      ...ofFactors,
      {
        figure: 'difficulty',
        source: [...new Set(ofFactors.map(({ source }) => source))].join(', '),
        asOf: ofFactors.map((told) => told.asOf).reduce((a, b) => (a < b ? a : b)),
        method: 'The weighted mean of `factors`.',
        confidence: ofFactors.some(({ confidence }) => confidence === 'low') ? 'low' : 'medium',
        share: null,
      },
    ],
    reasons: {
      'factors.authority': unknownDomains(
        'Of fewer than half of the ranking domains the authority is known.',
      ),
      'factors.links': unknownDomains(
        'Of fewer than half of the ranking domains this Quarry knows who links there.',
      ),
      'serp.authority': unknownDomains(
        ranks === null ? 'No ranks of domains are there.' : `${sourceName(ranks)} does not know all of them.`,
      ),
      ...(serp.length === 0 ? { factors: nothingFound, serp: nothingFound } : {}),
    },
    otherwise: serp.length === 0 ? nothingFound : { reason: 'One of `factors` is not known.', mend: null },
  });
}

const nothingFound: Reason = { reason: 'The search found nothing.', mend: null };

const unknownDomains = (reason: string): Reason => ({
  reason,
  mend: 'Import open data (README, "Import open data"): npm run -s seo -- import commoncrawl-ranks FILE, and commoncrawl-vertices with commoncrawl-edges; or set SEO_PROVIDERS=keyword-difficulty=dataforseo.',
});

type Figures = KeywordDifficulty['coverage']['figures'];

/** Who told how many domains link to those that rank. */
function describeReferrers(graph: ImportedGraph | null, counts: readonly ReferrerCount[]): Figures {
  const figure = 'factors.links';
  const method = 'Domains that link there; where both sources know some, the greater number.';
  const seen = counts.filter((one) => one.seen > 0);
  const [last] = seen.flatMap(({ lastSeenAt }) => lastSeenAt ?? []).toSorted((a, b) => Number(b) - Number(a));
  const share = counts.filter(({ inGraph }) => inGraph > 0).length;
  const told: Figures = [];
  if (last !== undefined) {
    const asOf = last.toISOString().slice(0, 10);
    told.push({ figure, source: linkIndex, asOf, method, confidence: 'medium', share: seen.length });
  }
  if (graph !== null && share > 0) {
    const { dataset } = graph;
    told.push({ figure, source: sourceName(dataset), asOf: dataset.asOf, method, confidence: 'high', share });
  }
  return told;
}
