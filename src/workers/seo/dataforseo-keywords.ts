import { iso31661Alpha2ToNumeric } from 'iso-3166';
import { type Reason, withCoverage } from './coverage.ts';
import type { DataForSeoClient } from './dataforseo-client.ts';
import * as items from './dataforseo-items.ts';
import { bandOf } from './difficulty-band.ts';
import type { KeywordDifficulty, KeywordIdeas, KeywordIdeasQuery, KeywordQuery } from './provider.ts';
import { languageTagOf } from './suggest.ts';
import { allAnswers } from './upstream.ts';

const source = 'DataForSEO';

/** DataForSEO's code of a country is 2000 and its number in ISO 3166-1. */
const placeOf = (query: KeywordQuery) => ({
  location_code: 2_000 + Number(iso31661Alpha2ToNumeric[query.country]),
  language_code: query.language === 'no' ? 'nb' : languageTagOf(query),
});

const levels = ['low', 'medium', 'high'] as const;
const intents = ['informational', 'navigational', 'commercial', 'transactional'] as const;
const oneOf = <Name extends string>(names: readonly Name[], text: string | null | undefined): Name | null =>
  names.find((name) => name === text?.toLowerCase()) ?? null;

export async function readVendorIdeas(
  client: DataForSeoClient,
  query: KeywordIdeasQuery,
): Promise<KeywordIdeas> {
  const { keyword, country, language, limit } = query;
  const [result] = await client.call(
    'dataforseo_labs/google/keyword_ideas/live',
    { keywords: [keyword], ...placeOf(query), limit },
    items.keywordIdeas,
  );
  const ideas = (result?.items ?? []).map(({ keyword: text, keyword_info: info, ...more }) => ({
    keyword: text,
    searchVolume: info?.search_volume ?? null,
    competition: info?.competition ?? null,
    competitionLevel: oneOf(levels, info?.competition_level),
    cpc: info?.cpc ?? null,
    trend: (info?.monthly_searches ?? [])
      .flatMap(({ year, month, search_volume: volume }) =>
        volume == null ? [] : { month: `${year}-${String(month).padStart(2, '0')}`, searchVolume: volume },
      )
      .toSorted((a, b) => a.month.localeCompare(b.month)),
    difficulty: more.keyword_properties?.keyword_difficulty ?? null,
    intent: oneOf(intents, more.search_intent_info?.main_intent),
    relevance: null,
    source,
  }));
  const method = 'Keywords of the same category as the vendor sees it, with figures of Google Ads.';
  return withCoverage(
    { keyword, country, language, ideas },
    {
      figures: [{ figure: 'ideas', source, asOf: client.asOf, method, confidence: 'medium', share: null }],
      reasons: {
        'ideas.relevance': { reason: 'The vendor gives ideas in its own order.', mend: null },
        ...(ideas.length === 0 ? { ideas: unknownKeyword } : {}),
      },
      otherwise: { reason: 'The vendor does not know it of all ideas.', mend: null },
    },
  );
}

const unknownKeyword: Reason = {
  reason: 'The vendor does not know this keyword in this country and language.',
  mend: null,
};

const firstPage = 10;

/** Its SERP API decodes `%##` and `+` in keywords, as no other of its APIs does. */
const escapeKeyword = (keyword: string) => keyword.replaceAll('%', '%25').replaceAll('+', '%2B');

/** Bulk keyword difficulty and the search results: two calls. */
export async function readVendorDifficulty(
  client: DataForSeoClient,
  query: KeywordQuery,
): Promise<KeywordDifficulty> {
  const place = placeOf(query);
  const [scores, serps] = await allAnswers([
    client.call(
      'dataforseo_labs/google/bulk_keyword_difficulty/live',
      { keywords: [query.keyword], ...place },
      items.keywordDifficulty,
    ),
    client.call(
      'serp/google/organic/live/regular',
      { keyword: escapeKeyword(query.keyword), ...place, depth: firstPage },
      items.organicResults,
    ),
  ]);
  const difficulty = scores[0]?.items?.[0]?.keyword_difficulty ?? null;
  const explanation =
    "The vendor's score: how strong the links of the ten pages and domains are that rank now.";
  const told = { source, asOf: client.asOf, confidence: 'medium' as const, share: null };
  const { keyword, country, language } = query;
  const answer = {
    keyword,
    country,
    language,
    difficulty,
    band: bandOf(difficulty),
    factors: [{ name: 'vendor', weight: 1, value: difficulty, explanation }],
    serp: (serps[0]?.items ?? [])
      .flatMap(({ type, url, ...item }) => {
        const host = type === 'organic' ? URL.parse(url ?? '')?.hostname : undefined;
        return url == null || host === undefined ? [] : { ...item, url, host };
      })
      .slice(0, firstPage)
      .map(({ rank_group: position, url, host, domain, title }, index) => ({
        position: position ?? index + 1,
        url,
        domain: (domain || host).replace(/^www\./, ''),
        title: title ?? '',
        authority: null,
      })),
  };
  return withCoverage(answer, {
    figures: [
      { figure: 'difficulty', ...told, method: explanation },
      { figure: 'factors.vendor', ...told, method: explanation },
      { figure: 'serp', ...told, method: "Google's organic results." },
    ],
    reasons: {
      serp: { reason: 'The vendor has no search results for it.', mend: null },
      'serp.authority': {
        reason: 'It would cost a call more for each domain.',
        mend: 'Ask /seo-insights/backlinks for one.',
      },
    },
    otherwise: unknownKeyword,
  });
}
