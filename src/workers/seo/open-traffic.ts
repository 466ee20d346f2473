import type { Db } from '../../shared/db/client.ts';
import { type DomainRank, listDomainRanks, listSeoDatasets } from '../../shared/db/seo-datasets.ts';
import { type Reason, withCoverage } from './coverage.ts';
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

const byVendor: Reason = {
  reason: 'Popularity lists do not tell where visits come from.',
  mend: 'A vendor estimates it: SEO_PROVIDERS=traffic=dataforseo.',
};

/** From the lists of popular domains that were imported. */
export async function readOpenTraffic(db: Db, { domain }: { domain: string }, run: SeoRun): Promise<Traffic> {
  const [datasets, ranks] = await Promise.all([listSeoDatasets(db), listDomainRanks(db, domain)]);
  const newest = datasets.find(({ kind }) => kind === 'tranco');
  const lists = ranks.filter(({ kind }) => kind === 'tranco');
  const latest = lists.find(({ id }) => id === newest?.id);
  if (newest !== undefined) run.tellSource('Tranco', newest.asOf);
  const notListed: Reason =
    newest === undefined
      ? { reason: 'No list of popular domains is imported.', mend }
      : {
          reason: `${domain} is not among the ${newest.rowCount} domains of the list of ${newest.asOf}.`,
          mend: 'A longer list may have it; a vendor may know it.',
        };
  const trend = toTrend(lists);
  const answer = {
    domain,
    monthlyVisits: latest === undefined ? null : { ...estimateVisits(latest.rank), ...toldBy(latest) },
    globalRank:
      latest === undefined
        ? null
        : {
            value: latest.rank,
            source: 'Tranco',
            asOf: latest.asOf,
            method: `Place on the list of ${latest.rowCount} domains, which is made from several lists over 30 days.`,
            confidence: 'medium' as const,
          },
    sources: null,
    trend,
    topCountries: null,
  };
  return withCoverage(answer, {
    figures: lists.slice(0, 1).map(({ asOf }) => ({
      figure: 'trend',
      source: 'Tranco',
      asOf,
      method: `The mean of \`monthlyVisits.mid\` over the lists of each month, ${lists.length} in all.`,
      confidence: 'low' as const,
      share: null,
    })),
    reasons: {
      sources: byVendor,
      topCountries: byVendor,
      trend: { reason: 'It takes lists of at least two months that have the domain.', mend },
    },
    otherwise: notListed,
  });
}

const toldBy = ({ asOf }: DomainRank) => ({
  scope: 'all' as const,
  source: 'Tranco',
  asOf,
  method: visitsMethod,
  confidence: 'low' as const,
});
