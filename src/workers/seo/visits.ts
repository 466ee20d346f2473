export interface VisitEstimate {
  low: number;
  mid: number;
  high: number;
}

/** The place from which on the second relation was found to hold. */
const pageViewsFromRank = 5_000;

/** Two digits tell what such an estimate knows. */
const rounded = (visits: number) => Number(visits.toPrecision(2));

export const visitsMethod =
  'From the rank, by two published relations: rank × monthly visitors is 4 to 9 billion, and monthly page views are ' +
  '1 billion · rank^-0.746. A visitor makes at least one visit and a visit at least one page view, so the visits lie ' +
  'between; `mid` is their geometric mean. The relations are of 2012 and 2015, and of another list.';

/**
 * Monthly visits of a domain from its place on a list of the most popular ones. Two published relations bound them:
 *
 *  - Monthly visitors: `rank · visitors` is nearly constant, 4 to 9 billion, measured on ranks 4 to 557,445
 *    ("Converting between Alexa rank and number of site visitors", upnaira.blogspot.com, November 2012). That the
 *    slope is close to one was found for the 30,000 most visited sites too (S. Schmeiser, "The Size Distribution of
 *    Websites", Mount Holyoke College, 2014).
 *  - Monthly page views: `1,000,000,000 · rank^-0.746`, R² above 0.96 for ranks from 5,000 on (V. Granville, "Zipf's
 *    Distribution: A Great Application", Data Science Central, October 2015).
 *
 * Below rank 5,000 the first alone gives the bounds; where the second begins, both agree on the middle. Each is old
 * and of Alexa's list, so the confidence is low: an order of magnitude, not a count.
 */
export function estimateVisits(rank: number): VisitEstimate {
  const low = 4e9 / rank;
  const pageViews = rank < pageViewsFromRank ? 0 : 1e9 * rank ** -0.746;
  const high = Math.max(9e9 / rank, pageViews);
  return { low: rounded(low), mid: rounded(Math.sqrt(low * high)), high: rounded(high) };
}
