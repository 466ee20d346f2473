import type { Backlinks } from './provider.ts';

/** @returns 0 to 1, to four digits; null where one of them is not known. */
export function shareOf(part: number | null, whole: number | null): number | null {
  if (part === null || whole === null || whole === 0) return null;
  return Math.min(1, Math.round((part / whole) * 10_000) / 10_000);
}

/** Counts of links to a domain, null where not known. */
export interface LinkCounts {
  total: number | null;
  followed: number | null;
  /** Those of the domain that has most of them. */
  mostOfOneDomain: number | null;
}

/** The strongest referring domains whose authority counts, however many a client asks for. */
export const ratedDomains = 100;

/**
 * Says how good links are on the whole; the contract tells the formula of the score.
 * @param strongest referring domains, the strongest first.
 */
export function rateQuality(
  strongest: Backlinks['referringDomains'],
  { total, followed, mostOfOneDomain }: LinkCounts,
): Backlinks['quality'] {
  const known = strongest.slice(0, ratedDomains).flatMap(({ authority }) => authority ?? []);
  const sum = known.reduce((before, one) => before + one, 0);
  const meanAuthority = known.length === 0 ? null : Math.round((sum / known.length) * 10) / 10;
  const dofollowShare = shareOf(followed, total);
  const topDomainShare = shareOf(mostOfOneDomain, total);
  const isKnown = meanAuthority !== null && dofollowShare !== null && topDomainShare !== null;
  const score = isKnown
    ? Math.round(0.5 * meanAuthority + 30 * dofollowShare + 20 * (1 - topDomainShare))
    : null;
  return { score, dofollowShare, meanAuthority, topDomainShare };
}
