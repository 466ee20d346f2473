import { z } from 'zod';

/**
 * What is read of DataForSEO's results; each field may be missing, as its documentation allows. A figure that none can be
 * is an answer in another form where the answer is about it; one of an item of a list is as if it were missing: the rest
 * is paid for.
 */

const text = z.string().nullish();
const number = z.number().nullish();
const count = z.int().min(0).nullish();
/** Of 0 to 100. */
const score = z.number().min(0).max(100).nullish();
/** Visits a month, of which there may be parts. */
const visits = z.number().min(0).max(1e12).nullish();
const month = z.int().min(1).max(12);
const counts = z.record(z.string(), z.int().min(0).nullable()).nullish();

/** Of an item of a list. */
const ofItem = {
  count: count.catch(null),
  score: score.catch(null),
  visits: visits.catch(null),
  number: number.catch(null),
};

const itemsOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item).nullish() });

export const backlinksSummary = z.object({
  rank: score,
  backlinks: count,
  referring_domains: count,
  referring_pages_nofollow: count,
  referring_links_attributes: counts,
});

export const referringDomains = itemsOf(
  z.object({ domain: text, rank: ofItem.score, backlinks: ofItem.count, first_seen: text, lost_date: text }),
);

export const anchors = itemsOf(
  z.object({ anchor: text, backlinks: ofItem.count, referring_links_types: counts.catch(null) }),
);

export const backlinks = itemsOf(
  z.object({
    url_from: text,
    url_to: text,
    anchor: text,
    attributes: z.array(z.string()).nullish(),
    dofollow: z.boolean().nullish(),
    last_seen: text,
  }),
);

const monthly = z
  .array(z.object({ year: z.int(), month, search_volume: ofItem.count }))
  .nullish()
  .catch(null);

export const keywordIdeas = itemsOf(
  z.object({
    keyword: z.string(),
    keyword_info: z
      .object({
        search_volume: ofItem.count,
        competition: ofItem.number,
        competition_level: text,
        cpc: ofItem.number,
        monthly_searches: monthly,
      })
      .nullish(),
    keyword_properties: z.object({ keyword_difficulty: ofItem.score }).nullish(),
    search_intent_info: z.object({ main_intent: text }).nullish(),
  }),
);

export const keywordDifficulty = itemsOf(z.object({ keyword: text, keyword_difficulty: score }));

export const organicResults = itemsOf(
  z.object({ type: z.string(), rank_group: ofItem.count, domain: text, title: text, url: text }),
);

const etv = z.object({ etv: ofItem.visits }).nullish();
export const rankOverview = itemsOf(
  z.object({ location_code: number, metrics: z.object({ organic: etv, paid: etv }).nullish() }),
);

const history = z
  .array(z.object({ year: z.int(), month, etv: ofItem.visits }))
  .nullish()
  .catch(null);
export const trafficHistory = itemsOf(
  z.object({ metrics: z.object({ organic: history, paid: history }).nullish() }),
);
