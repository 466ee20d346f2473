import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { coverage, metric, seoDomain, seoErrors } from '../../schemas/seo.ts';

const count = z.int().nullable();
const share = z.number().min(0).max(1).nullable();
const authority = z
  .number()
  .min(0)
  .max(100)
  .nullable()
  .describe('0 to 100, computed as `authority.method` of the answer says; null when it is not known.');
const day = z.string().nullable().describe('ISO 8601; null when the source does not say.');

export const seoInsightsBacklinks = defineOperation({
  id: 'web.seo-insights-backlinks',
  summary: 'Backlinks of a domain',
  description:
    'Who links to a domain, with which words, and how strong those sites are. The figures come from the pages that this installation has seen and from imported open data, or from a vendor; `coverage` says which source knew what.',
  queue: 'seo',
  route: { method: 'POST', path: '/api/proxy/web/v1/seo-insights/backlinks' },
  timeoutMs: () => 60_000,
  input: z.strictObject({
    domain: seoDomain,
    limit: z
      .int()
      .min(1)
      .max(1_000)
      .default(100)
      .describe('Maximum number of entries in each of `referringDomains`, `anchors` and `links`.'),
  }),
  output: z.object({
    domain: z.string().describe('The registrable domain that the figures are about, in ASCII.'),
    authority: metric,
    totals: z.object({
      backlinks: count,
      referringDomains: count,
      dofollow: count,
      nofollow: count.describe('Links with `nofollow`, `sponsored` or `ugc` in `rel`.'),
    }),
    referringDomains: z
      .array(
        z.object({
          domain: z.string(),
          authority,
          links: count.describe('Null when the source knows only domains.'),
          firstSeen: day,
          lastSeen: day,
        }),
      )
      .describe('Strongest first.'),
    anchors: z
      .array(
        z.object({
          anchor: z.string(),
          count: z.int(),
          share: z.number().describe('Share of the links that were counted.'),
          type: z
            .enum(['brand', 'exact', 'generic', 'url', 'image', 'empty', 'other'])
            .describe(
              '`brand`: names the domain; `exact`: the words of the linked page\'s address; `generic`: such as "click here"; `url`: an address; `image`: an image without text.',
            ),
        }),
      )
      .describe('Most frequent first.'),
    quality: z
      .object({
        score: z
          .number()
          .nullable()
          .describe(
            '0 to 100: 50 % mean authority of the referring domains, of the 100 strongest where there are more, 30 % share of followed links, 20 % share of links that do not come from the one that links most. Null where one of them is not known.',
          ),
        dofollowShare: share,
        meanAuthority: authority,
        topDomainShare: share.describe('Share of the links that come from the domain that links most.'),
      })
      .describe('A summary of our own; not a figure of a search engine.'),
    links: z.array(
      z.object({
        from: z.string(),
        to: z.string(),
        anchor: z.string(),
        rel: z
          .string()
          .describe('As written on the link; `nofollow` also if the page declares it for all its links.'),
        seenAt: day.describe('When it was last seen.'),
      }),
    ),
    coverage,
  }),
  errors: seoErrors,
});
