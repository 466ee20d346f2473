import type { SeenLink, SeenPage } from '../../shared/db/link-index.ts';
import { siteOfHost, splitAddress } from '../addresses/page-address.ts';

/** Links of one page that the index takes, and characters of their URLs. */
const maxLinks = 500;
const longestUrl = 2_048;

/** A page as the link index wants to know it. */
export interface LinkingPage {
  /** Where it was read. */
  url: string;
  title: string | null;
  status: number;
  /** False where the page asks not to follow its links. */
  follows: boolean;
  links: readonly { url: string; anchor: string; rel: string; image?: boolean }[];
}

/** What the link index keeps of a page: itself, and its links to other domains. */
export interface Seen {
  page: SeenPage;
  links: SeenLink[];
}

/**
 * What others may know a page by: the address that it calls its own. That of a page that names none may be known to its
 * reader alone, and hold the right to see it; null then.
 */
export function knownAddress(url: string, canonical: string | null): string | null {
  const meant = canonical === null ? null : URL.parse(canonical);
  return meant !== null && meant.host === URL.parse(url)?.host ? meant.href : null;
}

/** @returns null for an address that no other page could link to. */
export function seePage({ url, title, status, follows, links: found }: LinkingPage): Seen | null {
  const from = splitAddress(url);
  if (from === null || from.url.length > longestUrl) return null;
  const domain = siteOfHost(from.host);
  const ownSite = `${from.origin}/`;
  const links: SeenLink[] = [];
  let externalLinks = 0;
  for (const { url: to, anchor, rel, image = false } of found) {
    // Most links stay on their site, and are told from others without being parsed.
    if (to.startsWith(ownSite)) continue;
    const toDomain = siteOfHost(splitAddress(to)?.host ?? '');
    if (toDomain === '' || toDomain === domain) continue;
    externalLinks++;
    if (links.length >= maxLinks || to.length > longestUrl) continue;
    // What the page asks for all of its links is as good as said of each.
    const said = follows ? rel : `${rel} nofollow`.trim();
    links.push({ from: from.url, to, fromDomain: domain, toDomain, anchor, rel: said, image });
  }
  const counts = { internalLinks: found.length - externalLinks, externalLinks };
  return { page: { url: from.url, domain, title, status, ...counts }, links };
}
