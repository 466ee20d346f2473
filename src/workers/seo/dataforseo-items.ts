import { z } from 'zod';

/** What is read of DataForSEO's results; each field may be missing, as its documentation allows. */

const text = z.string().nullish();
const number = z.number().nullish();
const counts = z.record(z.string(), z.number().nullable()).nullish();

const itemsOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item).nullish() });

export const backlinksSummary = z.object({
  rank: number,
  backlinks: number,
  referring_domains: number,
  referring_pages_nofollow: number,
  referring_links_attributes: counts,
});

export const referringDomains = itemsOf(
  z.object({ domain: text, rank: number, backlinks: number, first_seen: text, lost_date: text }),
);

export const anchors = itemsOf(z.object({ anchor: text, backlinks: number, referring_links_types: counts }));

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

const monthly = z.array(z.object({ year: z.int(), month: z.int(), search_volume: number })).nullish();

export const keywordIdeas = itemsOf(
  z.object({
    keyword: z.string(),
    keyword_info: z
      .object({
        search_volume: number,
        competition: number,
        competition_level: text,
        cpc: number,
        monthly_searches: monthly,
      })
      .nullish(),
    keyword_properties: z.object({ keyword_difficulty: number }).nullish(),
    search_intent_info: z.object({ main_intent: text }).nullish(),
  }),
);

export const keywordDifficulty = itemsOf(z.object({ keyword: text, keyword_difficulty: number }));

export const organicResults = itemsOf(
  z.object({ type: z.string(), rank_group: number, domain: text, title: text, url: text }),
);

const etv = z.object({ etv: number }).nullish();
export const rankOverview = itemsOf(
  z.object({ location_code: number, metrics: z.object({ organic: etv, paid: etv }).nullish() }),
);

const history = z.array(z.object({ year: z.int(), month: z.int(), etv: number })).nullish();
export const trafficHistory = itemsOf(
  z.object({ metrics: z.object({ organic: history, paid: history }).nullish() }),
);
