import { iso31661NumericToAlpha2 } from 'iso-3166';
import type { z } from 'zod';
import { anchorTypeOf } from './anchor-type.ts';
import { type Reason, withCoverage } from './coverage.ts';
import type { DataForSeoClient } from './dataforseo-client.ts';
import * as items from './dataforseo-items.ts';
import { ratedDomains, rateQuality, shareOf } from './link-quality.ts';
import type { Backlinks, BacklinksQuery, Traffic } from './provider.ts';
import { allAnswers } from './upstream.ts';

const source = 'DataForSEO';
const day = (time: string | null | undefined) => time?.slice(0, 10) ?? null;
const rankMethod =
  "DataForSEO's rank, 0 to 100, by its own index of links: a logarithmic scale of the rank of referring pages and domains.";

/**
 * The vendor counts one link a page, so that its pages with a nofollow link are its nofollow links; attributes are
 * counted where it does not tell those.
 */
function countNofollow(summary: z.output<typeof items.backlinksSummary> | undefined): number | null {
  const { referring_pages_nofollow: pages, referring_links_attributes: attributes } = summary ?? {};
  if (pages != null) return pages;
  return attributes == null ? null : (attributes['nofollow'] ?? 0);
}

/**
 * Summary, referring domains, anchors and backlinks: four calls, and one more for the domain that links most where not
 * all are listed.
 */
export async function readVendorBacklinks(
  client: DataForSeoClient,
  { domain, limit }: BacklinksQuery,
): Promise<Backlinks> {
  const common = { target: domain, rank_scale: 'one_hundred' };
  const mostListed = Math.max(limit, ratedDomains);
  const [summaries, referring, anchors, links] = await allAnswers([
    client.call('backlinks/summary/live', common, items.backlinksSummary),
    client.call(
      'backlinks/referring_domains/live',
      { ...common, limit: mostListed, order_by: ['rank,desc'] },
      items.referringDomains,
    ),
    client.call('backlinks/anchors/live', { ...common, limit, order_by: ['backlinks,desc'] }, items.anchors),
    client.call(
      'backlinks/backlinks/live',
      { ...common, limit, mode: 'as_is', order_by: ['rank,desc'] },
      items.backlinks,
    ),
  ]);
  const summary = summaries[0];
  const total = summary?.backlinks ?? null;
  const nofollow = total === null ? null : countNofollow(summary);
  const dofollow = total === null || nofollow === null ? null : Math.max(0, total - nofollow);
  const referringDomains = (referring[0]?.items ?? []).flatMap((item) =>
    item.domain == null
      ? []
      : {
          domain: item.domain,
          authority: item.rank ?? null,
          links: item.backlinks ?? null,
          firstSeen: day(item.first_seen),
          lastSeen: day(item.lost_date),
        },
  );
  const listed = referringDomains.flatMap((one) => one.links ?? []);
  // Where it is not told how many there are, a full list may not be all.
  const isWhole =
    summary?.referring_domains == null
      ? (referring[0]?.items ?? []).length < mostListed
      : referringDomains.length >= summary.referring_domains;
  const most = isWhole
    ? [{ items: [{ backlinks: listed.length === 0 ? null : Math.max(...listed) }] }]
    : await client.call(
        'backlinks/referring_domains/live',
        { ...common, limit: 1, order_by: ['backlinks,desc'] },
        items.referringDomains,
      );
  const listedAnchors = anchors[0]?.items ?? [];
  /** Where the vendor does not tell how many links there are, those of the anchors that it lists. */
  const anchored = total || listedAnchors.reduce((sum, one) => sum + (one.backlinks ?? 0), 0);
  const told = { source, asOf: client.asOf, confidence: 'medium' as const };
  const answer = {
    domain,
    authority: summary?.rank == null ? null : { value: summary.rank, ...told, method: rankMethod },
    totals: { backlinks: total, referringDomains: summary?.referring_domains ?? null, dofollow, nofollow },
    referringDomains: referringDomains.slice(0, limit),
    anchors: listedAnchors.flatMap(({ anchor, backlinks: count, referring_links_types: types }) => {
      if (count == null) return [];
      const share = shareOf(count, anchored) ?? 0;
      const image = (types?.['image'] ?? 0) > count / 2;
      const type = anchorTypeOf({ anchor: anchor ?? '', image, to: '' }, domain);
      return { anchor: anchor ?? '', count, share, type };
    }),
    quality: rateQuality(referringDomains, {
      total,
      followed: dofollow,
      mostOfOneDomain: most[0]?.items?.[0]?.backlinks ?? null,
    }),
    links: (links[0]?.items ?? []).flatMap((item) =>
      item.url_from == null || item.url_to == null
        ? []
        : {
            from: item.url_from,
            to: item.url_to,
            anchor: item.anchor ?? '',
            rel: item.attributes?.join(' ') ?? (item.dofollow === false ? 'nofollow' : ''),
            seenAt: day(item.last_seen),
          },
    ),
  };
  const method = 'As its index of live links has it; it counts subdomains as domains of their own.';
  const figures = ['totals', 'referringDomains', 'anchors', 'links'].map((figure) => ({
    figure,
    ...told,
    method,
    share: null,
  }));
  const ofQuality = `From \`totals\`, the authority of the ${ratedDomains} strongest referring domains and the one that links most.`;
  const { totals, anchors: texts, links: found } = answer;
  const isKnown =
    answer.authority !== null ||
    Object.values(totals).some((figure) => figure !== null) ||
    [referringDomains, texts, found].some(({ length }) => length > 0);
  return withCoverage(answer, {
    figures: [...figures, { figure: 'quality', ...told, method: ofQuality, share: null }],
    reasons: {
      'referringDomains.lastSeen': { reason: 'DataForSEO tells it of lost links only.', mend: null },
    },
    otherwise: {
      reason: isKnown ? 'DataForSEO does not tell it.' : `DataForSEO does not know ${domain}.`,
      mend: null,
    },
  });
}

/** DataForSEO's code of a country is 2000 and its number in ISO 3166-1. */
const countryOf = (locationCode: number | null | undefined) =>
  locationCode == null ? undefined : iso31661NumericToAlpha2[String(locationCode - 2_000).padStart(3, '0')];

const monthOf = ({ year, month }: { year: number; month: number }) =>
  `${year}-${String(month).padStart(2, '0')}`;

function shares(amounts: ReadonlyMap<string, number>): { name: string; share: number }[] | null {
  const whole = [...amounts.values()].reduce((sum, one) => sum + one, 0);
  if (whole === 0) return null;
  return [...amounts]
    .toSorted((a, b) => b[1] - a[1])
    .map(([name, amount]) => ({ name, share: shareOf(amount, whole) ?? 0 }));
}

const countriesShown = 10;

/** Rank overview in all countries, and the history of the traffic: two calls. */
export async function readVendorTraffic(
  client: DataForSeoClient,
  { domain }: { domain: string },
): Promise<Traffic> {
  const yearAgo = new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10);
  const labs = 'dataforseo_labs/google';
  const [overviews, histories] = await allAnswers([
    client.call(`${labs}/domain_rank_overview/live`, { target: domain, limit: 1_000 }, items.rankOverview),
    client.call(
      `${labs}/historical_bulk_traffic_estimation/live`,
      { targets: [domain], date_from: yearAgo, item_types: ['organic', 'paid'] },
      items.trafficHistory,
    ),
  ]);
  const places = overviews[0]?.items ?? [];
  const channels = new Map<string, number>();
  const countries = new Map<string, number>();
  for (const { location_code: code, metrics } of places) {
    const country = countryOf(code);
    for (const [channel, etv] of [
      ['organic search', metrics?.organic?.etv],
      ['paid search', metrics?.paid?.etv],
    ] as const) {
      // What nobody has told is no channel without visits.
      if (etv == null) continue;
      channels.set(channel, (channels.get(channel) ?? 0) + etv);
      if (country !== undefined) countries.set(country, (countries.get(country) ?? 0) + etv);
    }
  }
  const visits = [...channels.values()].reduce((sum, one) => sum + one, 0);
  const isKnown = places.some(({ metrics }) => metrics?.organic?.etv != null || metrics?.paid?.etv != null);
  const told = { source, asOf: client.asOf, confidence: 'medium' as const };
  const method =
    "Visits from Google's results only: what people search for times the share that clicks at the domain's place, over all countries.";
  const trend = toTrend(histories[0]?.items?.[0]?.metrics);
  const answer = {
    domain,
    monthlyVisits: !isKnown
      ? null
      : { low: null, mid: Math.round(visits), high: null, scope: 'search' as const, ...told, method },
    globalRank: null,
    sources: shares(channels)?.map(({ name, share: part }) => ({ channel: name, share: part })) ?? null,
    trend,
    topCountries:
      shares(countries)
        ?.slice(0, countriesShown)
        .map(({ name, share: part }) => ({ country: name, share: part })) ?? null,
  };
  const noRange: Reason = { reason: 'The vendor gives one figure, no range.', mend: null };
  return withCoverage(answer, {
    figures: ['sources', 'topCountries', 'trend'].map((figure) => ({ figure, ...told, method, share: null })),
    reasons: {
      'monthlyVisits.low': noRange,
      'monthlyVisits.high': noRange,
      globalRank: {
        reason: 'This vendor ranks no domains by visits.',
        mend: 'SEO_PROVIDERS=traffic=open with a Tranco list gives it.',
      },
      trend: { reason: `DataForSEO has no history of the visits to ${domain}.`, mend: null },
    },
    otherwise: {
      reason: isKnown
        ? `Visits to ${domain} from search results are fewer than the vendor counts.`
        : `DataForSEO knows no search results of ${domain}.`,
      mend: null,
    },
  });
}

type History = { year: number; month: number; etv?: number | null | undefined }[] | null | undefined;

function toTrend(metrics: { organic?: History; paid?: History } | null | undefined): Traffic['trend'] {
  const months = new Map<string, number>();
  for (const entry of [...(metrics?.organic ?? []), ...(metrics?.paid ?? [])])
    if (entry.etv != null) months.set(monthOf(entry), (months.get(monthOf(entry)) ?? 0) + entry.etv);
  const most = Math.max(0, ...months.values());
  if (most === 0) return [];
  return [...months]
    .map(([month, visits]) => ({ month, index: Math.round((1_000 * visits) / most) / 10 }))
    .toSorted((a, b) => a.month.localeCompare(b.month));
}
