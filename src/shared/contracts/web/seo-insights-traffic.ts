import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { coverage, metric, seoDomain, seoErrors } from '../../schemas/seo.ts';

const visits = z.int().min(0).nullable();

export const seoInsightsTraffic = defineOperation({
  id: 'web.seo-insights-traffic',
  summary: 'Traffic of a domain',
  description:
    'Estimated visits of a domain per month, from its place on popularity lists, or by a vendor from its search results. Estimates can differ from what the site itself counts by a factor of two or more.',
  queue: 'seo',
  route: { method: 'POST', path: '/api/proxy/web/v1/seo-insights/traffic' },
  timeoutMs: () => 60_000,
  input: z.strictObject({ domain: seoDomain }),
  output: z.object({
    domain: z.string().describe('The registrable domain that the figures are about, in ASCII.'),
    monthlyVisits: z
      .object({
        low: visits,
        mid: visits,
        high: visits,
        scope: z.enum(['all', 'search']).describe('`search`: visits that come from search engines only.'),
        source: z.string(),
        asOf: z.string(),
        method: z.string(),
        confidence: z.enum(['high', 'medium', 'low']),
      })
      .nullable(),
    globalRank: metric,
    sources: z
      .array(z.object({ channel: z.string(), share: z.number() }))
      .nullable()
      .describe('Shares of the visits in `monthlyVisits.scope`; null when no source reports them.'),
    trend: z
      .array(z.object({ month: z.string().describe('YYYY-MM'), index: z.number() }))
      .describe(
        '100 is the month with the most visits, by the same estimate; oldest first. Months without data are left out.',
      ),
    topCountries: z
      .array(z.object({ country: z.string().describe('ISO 3166-1'), share: z.number() }))
      .nullable(),
    coverage,
  }),
  errors: seoErrors,
});
