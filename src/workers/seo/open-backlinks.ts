import {
  type AnchorCount,
  countedAnchorLinks,
  type GraphReferrers,
  listAnchors,
  listBacklinks,
  readGraphReferrers,
  readReferringDomains,
} from '../../shared/db/backlinks.ts';
import type { Db } from '../../shared/db/client.ts';
import {
  findRanks,
  listDomainRanks,
  listSeoDatasets,
  type SeoDataset,
} from '../../shared/db/seo-datasets.ts';
import { anchorTypeOf } from './anchor-type.ts';
import { authorityOf, chooseRanks, describeAuthority, readAuthority, sourceName } from './authority.ts';
import { rateQuality, shareOf } from './link-quality.ts';
import type { Backlinks, BacklinksQuery, SeoRun } from './provider.ts';

type Referring = Backlinks['referringDomains'][number];

interface OpenGraph {
  verticesId: number;
  edgesId: number;
  dataset: SeoDataset;
}

const linkIndex = 'Quarry link index';

/** The newest release of which both files are there. */
function chooseGraph(datasets: readonly SeoDataset[]): OpenGraph | null {
  for (const vertices of datasets.filter(({ kind }) => kind === 'commoncrawl-vertices')) {
    const edges = datasets.find(({ kind, name }) => kind === 'commoncrawl-edges' && name === vertices.name);
    if (edges !== undefined) return { verticesId: vertices.id, edgesId: edges.id, dataset: edges };
  }
  return null;
}

/** Referrers that only the graph knows, the strongest first. */
async function toReferring(
  db: Db,
  ranks: SeoDataset | null,
  referrers: GraphReferrers,
  known: ReadonlySet<string>,
): Promise<Referring[]> {
  const names = referrers.domains.map(({ domain }) => domain).filter((domain) => !known.has(domain));
  const positions = ranks === null ? new Map<string, number>() : await findRanks(db, ranks.id, names);
  return names.map((domain) => {
    const position = positions.get(domain);
    const authority = position === undefined || ranks === null ? null : authorityOf(position, ranks.rowCount);
    return { domain, authority, links: null, firstSeen: null, lastSeen: null };
  });
}

function toAnchors(anchors: readonly AnchorCount[], domain: string, limit: number): Backlinks['anchors'] {
  const counted = anchors.reduce((sum, { count }) => sum + count, 0);
  return anchors.slice(0, limit).map(({ anchor, image, to, count }) => ({
    anchor,
    count,
    share: shareOf(count, counted) ?? 0,
    type: anchorTypeOf({ anchor, image, to }, domain),
  }));
}

const day = (date: Date) => date.toISOString().slice(0, 10);
const importHint = (...kinds: string[]) => {
  const commands = kinds.map((kind) => `npm run -s seo -- import ${kind} FILE`).join(' and ');
  return `Import open data (README, "Import open data"): ${commands}; or set SEO_PROVIDERS=backlinks=dataforseo.`;
};

/** From the link index, and from imported ranks and graphs. */
export async function readOpenBacklinks(
  db: Db,
  { domain, limit }: BacklinksQuery,
  run: SeoRun,
): Promise<Backlinks> {
  const [datasets, domainRanks] = await Promise.all([listSeoDatasets(db), listDomainRanks(db, domain)]);
  const ranks = chooseRanks(datasets);
  const graph = chooseGraph(datasets);
  const [{ totals, domains }, referrers] = await Promise.all([
    readReferringDomains(db, domain, ranks?.id ?? null, limit),
    graph === null ? null : readGraphReferrers(db, graph, domain, limit),
  ]);
  const names = domains.map((one) => one.domain);
  const [anchors, links] = await Promise.all([
    listAnchors(db, domain, totals.backlinks > countedAnchorLinks ? names : null),
    listBacklinks(db, domain, names, limit),
  ]);

  const own: Referring[] = domains.map((one) => ({
    domain: one.domain,
    authority: one.rank === null || ranks === null ? null : authorityOf(one.rank, ranks.rowCount),
    links: one.links,
    firstSeen: day(one.firstSeenAt),
    lastSeen: day(one.lastSeenAt),
  }));
  const fromGraph =
    referrers === null ? [] : await toReferring(db, ranks, referrers, new Set(own.map((one) => one.domain)));
  const referringDomains = [...own, ...fromGraph]
    .toSorted((a, b) => (b.authority ?? -1) - (a.authority ?? -1) || (b.links ?? 0) - (a.links ?? 0))
    .slice(0, limit);

  const { figures, missing } = describe({ domain, ranks, graph, referrers, totals, run });
  const hasLinks = totals.backlinks > 0;
  const inGraph = referrers?.referringDomains ?? null;
  return {
    domain,
    authority: readAuthority(domainRanks, ranks),
    totals: {
      backlinks: hasLinks ? totals.backlinks : null,
      referringDomains:
        hasLinks || inGraph !== null
          ? totals.referringDomains + (inGraph ?? 0) - (referrers?.alsoInLinkIndex ?? 0)
          : null,
      dofollow: hasLinks ? totals.followed : null,
      nofollow: hasLinks ? totals.backlinks - totals.followed : null,
    },
    referringDomains,
    anchors: toAnchors(anchors, domain, limit),
    quality: rateQuality(
      referringDomains,
      hasLinks ? totals.backlinks : null,
      hasLinks ? totals.followed : null,
    ),
    links: links.map((link) => ({
      from: link.from,
      to: link.to,
      anchor: link.anchor,
      rel: link.rel,
      seenAt: day(link.lastSeenAt),
    })),
    coverage: {
      figures,
      missing: [
        ...missing,
        ...(readAuthority(domainRanks, ranks) === null ? [missingAuthority(domain, ranks)] : []),
      ],
    },
  };
}

function missingAuthority(
  domain: string,
  ranks: SeoDataset | null,
): Backlinks['coverage']['missing'][number] {
  return ranks === null
    ? {
        figure: 'authority',
        reason:
          'No ranks of domains are imported, and the links that this Quarry has seen are not ranked yet.',
        mend: `${importHint('commoncrawl-ranks')} Or rank what was seen: npm run -s seo -- authority`,
      }
    : { figure: 'authority', reason: `${sourceName(ranks)} does not know ${domain}.`, mend: null };
}

interface Known {
  domain: string;
  ranks: SeoDataset | null;
  graph: OpenGraph | null;
  referrers: GraphReferrers | null;
  totals: { backlinks: number; referringDomains: number; lastSeenAt: Date | null };
  run: SeoRun;
}

function describe({ domain, ranks, graph, referrers, totals, run }: Known): Backlinks['coverage'] {
  const figures: Backlinks['coverage']['figures'] = [];
  const missing: Backlinks['coverage']['missing'] = [];
  if (totals.lastSeenAt !== null) {
    const asOf = day(totals.lastSeenAt);
    run.tellSource(linkIndex, asOf);
    const seen = { source: linkIndex, asOf, confidence: 'medium' as const };
    const method = 'Counted in the pages that this Quarry has seen: a part of the web, so there are more.';
    figures.push({ figure: 'totals', ...seen, method, share: totals.referringDomains });
    const counted =
      totals.backlinks > countedAnchorLinks
        ? 'Counted in the newest links from each of the strongest referring domains, some thousand in all.'
        : `Counted in all ${totals.backlinks} links that were seen.`;
    figures.push({ figure: 'anchors', ...seen, method: counted, share: null });
    figures.push({ figure: 'links', ...seen, method: 'As they were seen.', share: null });
  } else {
    missing.push({
      figure: 'totals.backlinks',
      reason: `No page that this Quarry has read links to ${domain}. It knows the links of the pages that it was asked for only.`,
      mend: `Crawl sites that link there (POST /api/proxy/web/v1/scrape/links-map). ${importHint('commoncrawl-vertices', 'commoncrawl-edges')}`,
    });
  }
  if (graph !== null && referrers?.referringDomains != null) {
    const { asOf } = graph.dataset;
    run.tellSource(sourceName(graph.dataset), asOf);
    figures.push({
      figure: 'totals.referringDomains',
      source: sourceName(graph.dataset),
      asOf,
      method: `Domains with a link in that graph, of which ${referrers.alsoInLinkIndex} were seen by this Quarry too; it does not tell how many links, nor their words.`,
      confidence: 'high',
      share: referrers.referringDomains,
    });
  }
  if (ranks !== null) {
    const told = describeAuthority(ranks);
    run.tellSource(told.source, told.asOf);
    figures.push({ figure: 'referringDomains.authority', ...told, share: null });
  }
  return { figures, missing };
}
