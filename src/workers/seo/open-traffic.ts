import type { Db } from '../../shared/db/client.ts';
import { type DomainRank, listDomainRanks, listSeoDatasets } from '../../shared/db/seo-datasets.ts';
import type { Coverage } from '../../shared/schemas/seo.ts';
import type { SeoRun, Traffic } from './provider.ts';
import { estimateVisits, visitsMethod } from './visits.ts';

const mend =
  'Import a list (README, "Import open data"): npm run -s seo -- import tranco FILE --date DATE; or set SEO_PROVIDERS=traffic=dataforseo.';

/** @param lists of one domain, newest first. */
function toTrend(lists: readonly DomainRank[]): Traffic['trend'] {
  const months = new Map<string, number[]>();
  for (const { asOf, rank } of lists) {
    const month = asOf.slice(0, 7);
    months.set(month, [...(months.get(month) ?? []), estimateVisits(rank).mid]);
  }
  if (months.size < 2) return [];
  const means = [...months].map(
    ([month, visits]) => [month, visits.reduce((sum, one) => sum + one, 0) / visits.length] as const,
  );
  const most = Math.max(...means.map(([, visits]) => visits));
  return means
    .map(([month, visits]) => ({ month, index: Math.round((1_000 * visits) / most) / 10 }))
    .toSorted((a, b) => a.month.localeCompare(b.month));
}

const unknown = (figure: string, reason: string, how: string | null): Coverage['missing'][number] => ({
  figure,
  reason,
  mend: how,
});

/** From the lists of popular domains that were imported. */
export async function readOpenTraffic(db: Db, { domain }: { domain: string }, run: SeoRun): Promise<Traffic> {
  const [datasets, ranks] = await Promise.all([listSeoDatasets(db), listDomainRanks(db, domain)]);
  const newest = datasets.find(({ kind }) => kind === 'tranco');
  const lists = ranks.filter(({ kind }) => kind === 'tranco');
  const latest = lists.find(({ id }) => id === newest?.id);
  if (newest !== undefined) run.tellSource('Tranco', newest.asOf);
  const missing: Coverage['missing'] = [
    unknown(
      'sources',
      'Popularity lists do not tell where visits come from.',
      'A vendor estimates it: SEO_PROVIDERS=traffic=dataforseo.',
    ),
    unknown(
      'topCountries',
      'Popularity lists do not tell countries.',
      'A vendor estimates it: SEO_PROVIDERS=traffic=dataforseo.',
    ),
  ];
  if (newest === undefined)
    missing.unshift(unknown('monthlyVisits', 'No list of popular domains is imported.', mend));
  else if (latest === undefined) {
    const reason = `${domain} is not among the ${newest.rowCount} domains of the list of ${newest.asOf}.`;
    missing.unshift(unknown('monthlyVisits', reason, 'A longer list may have it; a vendor may know it.'));
  }
  const trend = toTrend(lists);
  if (trend.length === 0)
    missing.push(unknown('trend', 'It takes lists of at least two months that have the domain.', mend));
  const list = latest && { source: 'Tranco', asOf: latest.asOf };
  return {
    domain,
    monthlyVisits:
      list === undefined || latest === undefined
        ? null
        : { ...estimateVisits(latest.rank), scope: 'all', ...list, method: visitsMethod, confidence: 'low' },
    globalRank:
      list === undefined || latest === undefined
        ? null
        : {
            value: latest.rank,
            ...list,
            method: `Place on the list of ${latest.rowCount} domains, which is made from several lists over 30 days.`,
            confidence: 'medium',
          },
    sources: null,
    trend,
    topCountries: null,
    coverage: {
      figures:
        trend.length === 0 || newest === undefined
          ? []
          : [
              {
                figure: 'trend',
                source: 'Tranco',
                asOf: newest.asOf,
                method: `The mean of \`monthlyVisits.mid\` over the lists of each month, ${lists.length} in all.`,
                confidence: 'low',
                share: null,
              },
            ],
      missing,
    },
  };
}
