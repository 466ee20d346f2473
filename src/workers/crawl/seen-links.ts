import type { SeenLink, SeenPage } from '../../shared/db/link-index.ts';
import { siteOfHost, splitAddress } from './page-address.ts';
import type { Visit } from './visit.ts';

/** What the link index keeps of visits: each page, and its links to other domains. */
export function listSeen(visits: readonly Visit[]): { pages: SeenPage[]; links: SeenLink[] } {
  const pages: SeenPage[] = [];
  const links: SeenLink[] = [];
  for (const visit of visits) {
    if (visit.status === null || visit.redirect !== null) continue;
    const from = splitAddress(visit.at);
    if (from === null) continue;
    const fromDomain = siteOfHost(from.host);
    const ownSite = `${from.origin}/`;
    let externalLinks = 0;
    for (const [to, anchor, rel, image = false] of visit.links) {
      // Most links stay on their site, and are told from others without being parsed.
      if (to.startsWith(ownSite)) continue;
      const toDomain = siteOfHost(splitAddress(to)?.host ?? '');
      if (toDomain === '' || toDomain === fromDomain) continue;
      externalLinks++;
      links.push({ from: visit.at, to, fromDomain, toDomain, anchor, rel, image });
    }
    const { at: url, title, status } = visit;
    const internalLinks = visit.links.length - externalLinks;
    pages.push({ url, domain: fromDomain, title, status, internalLinks, externalLinks });
  }
  return { pages, links };
}
