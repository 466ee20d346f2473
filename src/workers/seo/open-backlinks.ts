import {
  type AnchorCount,
  type BacklinkTotals,
  countedAnchorLinks,
  type GraphReferrers,
  listAnchors,
  listBacklinks,
  rankedAtMost,
  readGraphReferrers,
  readReferringDomains,
} from '../../shared/db/backlinks.ts';
import type { Db } from '../../shared/db/client.ts';
import { listDomainRanks, listSeoDatasets, type SeoDataset } from '../../shared/db/seo-datasets.ts';
import { anchorTypeOf } from './anchor-type.ts';
import {
  authorityOf,
  chooseRanks,
  describeAuthority,
  linkIndex,
  readAuthority,
  sourceName,
} from './authority.ts';
import { type CoverageParts, type Reason, withCoverage } from './coverage.ts';
import { chooseGraph, type ImportedGraph } from './graph.ts';
import { ratedDomains, rateQuality, shareOf } from './link-quality.ts';
import type { Backlinks, BacklinksQuery, SeoRun } from './provider.ts';

type Referring = Backlinks['referringDomains'][number];

function toAnchors(anchors: readonly AnchorCount[], domain: string): Backlinks['anchors'] {
  return anchors.map(({ anchor, image, to, count, counted }) => ({
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
  const most = Math.max(limit, ratedDomains);
  const [{ totals, domains }, referrers] = await Promise.all([
    readReferringDomains(db, domain, ranks?.id ?? null, most),
    graph === null ? null : readGraphReferrers(db, graph, domain, ranks?.id ?? null, most),
  ]);
  const names = domains.slice(0, limit).map((one) => one.domain);
  const [anchors, links] = await Promise.all([
    listAnchors(db, domain, totals.backlinks > countedAnchorLinks ? names : null, limit),
    listBacklinks(db, domain, names, limit),
  ]);

  const authorityAt = (rank: number | null) =>
    rank === null || ranks === null ? null : authorityOf(rank, ranks.rowCount);
  const own: Referring[] = domains.map((one) => ({
    domain: one.domain,
    authority: authorityAt(one.rank),
    links: one.links,
    firstSeen: day(one.firstSeenAt),
    lastSeen: day(one.lastSeenAt),
  }));
  const known = new Set(domains.map((one) => one.domain));
  const inGraphOnly = (referrers?.domains ?? []).filter((one) => !known.has(one.domain));
  const fromGraph: Referring[] = inGraphOnly.map((one) => ({
    domain: one.domain,
    authority: authorityAt(one.rank),
    links: null,
    firstSeen: null,
    lastSeen: null,
  }));
  const strongest = [...own, ...fromGraph].toSorted(
    (a, b) => (b.authority ?? -1) - (a.authority ?? -1) || (b.links ?? 0) - (a.links ?? 0),
  );

  const hasLinks = totals.backlinks > 0;
  const total = hasLinks ? totals.backlinks : null;
  const followed = hasLinks ? totals.followed : null;
  const inGraph = referrers?.referringDomains ?? null;
  const answer = {
    domain,
    authority: readAuthority(domainRanks, ranks),
    totals: {
      backlinks: total,
      referringDomains:
        hasLinks || inGraph !== null
          ? totals.referringDomains + (inGraph ?? 0) - (referrers?.alsoInLinkIndex ?? 0)
          : null,
      dofollow: followed,
      nofollow: hasLinks ? totals.backlinks - totals.followed : null,
    },
    referringDomains: strongest.slice(0, limit),
    anchors: toAnchors(anchors, domain),
    quality: rateQuality(strongest, { total, followed, mostOfOneDomain: totals.mostOfOneDomain }),
    links: links.map((link) => ({
      from: link.from,
      to: link.to,
      anchor: link.anchor,
      rel: link.rel,
      seenAt: day(link.lastSeenAt),
    })),
  };
  return withCoverage(answer, {
    figures: [
      ...describeLinkIndex(totals, run),
      ...(graph === null || referrers === null ? [] : describeGraph(graph, referrers, run)),
      ...(ranks === null ? [] : describeRanks(ranks, run)),
    ],
    ...explain(domain, ranks, hasLinks),
  });
}

/** Why fields may be missing. */
function explain(
  domain: string,
  ranks: SeoDataset | null,
  hasLinks: boolean,
): Pick<CoverageParts, 'reasons' | 'otherwise'> {
  const noRanks: Reason = {
    reason: 'No ranks of domains are imported, and the links that this Quarry has seen are not ranked yet.',
    mend: `${importHint('commoncrawl-ranks')} Or rank what was seen: npm run -s seo -- authority`,
  };
  const notRanked = (whom: string): Reason =>
    ranks === null ? noRanks : { reason: `${sourceName(ranks)} does not know ${whom}.`, mend: null };
  const onlyDomains: Reason = { reason: "Common Crawl's graph tells domains, not their links.", mend: null };
  const nothingSeen: Reason = {
    reason: `No page that this Quarry has read links to ${domain}. It knows the links of the pages that it was asked for only.`,
    mend: `Crawl sites that link there (POST /api/proxy/web/v1/scrape/links-map). ${importHint('commoncrawl-vertices', 'commoncrawl-edges')}`,
  };
  const unranked = hasLinks ? { 'quality.score': notRanked('the referring domains') } : {};
  return {
    reasons: {
      authority: notRanked(domain),
      'referringDomains.authority': notRanked('all of them'),
      'referringDomains.links': onlyDomains,
      'referringDomains.firstSeen': onlyDomains,
      'referringDomains.lastSeen': onlyDomains,
      'quality.meanAuthority': notRanked('the referring domains'),
      ...unranked,
    },
    otherwise: nothingSeen,
  };
}

type Figures = Backlinks['coverage']['figures'];

function describeLinkIndex(totals: BacklinkTotals, run: SeoRun): Figures {
  if (totals.lastSeenAt === null) return [];
  const asOf = day(totals.lastSeenAt);
  run.tellSource(linkIndex, asOf);
  const seen = { source: linkIndex, asOf, confidence: 'medium' as const, share: null };
  const method = 'Counted in the pages that this Quarry has seen: a part of the web, so there are more.';
  const counted =
    totals.backlinks > countedAnchorLinks
      ? 'Counted in the newest links from each of the strongest referring domains, some thousand in all.'
      : `Counted in all ${totals.backlinks} links that were seen.`;
  const listed =
    totals.referringDomains > rankedAtMost
      ? `The strongest of the ${rankedAtMost} with the most links.`
      : 'The strongest of all that were seen.';
  return [
    { figure: 'totals', ...seen, method, share: totals.referringDomains },
    { figure: 'referringDomains', ...seen, method: listed },
    { figure: 'anchors', ...seen, method: counted },
    {
      figure: 'quality',
      ...seen,
      method: `From \`totals\`, and the authority of the ${ratedDomains} strongest referring domains.`,
    },
    { figure: 'links', ...seen, method: 'As they were seen.' },
  ];
}

function describeGraph(
  { dataset }: ImportedGraph,
  { referringDomains, alsoInLinkIndex }: GraphReferrers,
  run: SeoRun,
): Figures {
  if (referringDomains === null) return [];
  const told = { source: sourceName(dataset), asOf: dataset.asOf, confidence: 'high' as const };
  run.tellSource(told.source, told.asOf);
  return [
    {
      figure: 'totals.referringDomains',
      ...told,
      method: `Domains with a link in that graph, of which ${alsoInLinkIndex} were seen by this Quarry too; it does not tell how many links, nor their words.`,
      share: referringDomains,
    },
    {
      figure: 'referringDomains',
      ...told,
      method:
        referringDomains > rankedAtMost
          ? `The strongest of ${rankedAtMost} of them, the first by their reversed names (com.example): there may be stronger ones.`
          : 'The strongest of all in that graph.',
      share: null,
    },
  ];
}

function describeRanks(ranks: SeoDataset, run: SeoRun): Figures {
  const told = describeAuthority(ranks);
  run.tellSource(told.source, told.asOf);
  return ['referringDomains.authority', 'quality.meanAuthority'].map((figure) => ({
    figure,
    ...told,
    share: null,
  }));
}
