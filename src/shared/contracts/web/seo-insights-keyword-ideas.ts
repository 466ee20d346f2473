import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { country, coverage, keyword, language, seoErrors } from '../../schemas/seo.ts';

export const seoInsightsKeywordIdeas = defineOperation({
  id: 'web.seo-insights-keyword-ideas',
  summary: 'Keyword ideas',
  description:
    'What people search for around a keyword: what search engines suggest for it, alone and with letters, questions and prepositions, or what a vendor knows. Volumes and prices come from a vendor only, and are null without one.',
  queue: 'seo',
  route: { method: 'POST', path: '/api/proxy/web/v1/seo-insights/keyword-ideas' },
  timeoutMs: () => 90_000,
  input: z.strictObject({
    keyword,
    country,
    language: language.optional(),
    limit: z.int().min(1).max(1_000).default(100).describe('Maximum number of ideas.'),
  }),
  output: z.object({
    keyword: z.string(),
    country: z.string(),
    language: z.string(),
    ideas: z
      .array(
        z.object({
          keyword: z.string(),
          searchVolume: z.int().nullable().describe('Searches per month.'),
          competition: z.number().nullable().describe('Competition among advertisers, 0 to 1.'),
          competitionLevel: z.enum(['low', 'medium', 'high']).nullable(),
          cpc: z.number().nullable().describe('Cost per click, in US dollars.'),
          trend: z.array(z.object({ month: z.string().describe('YYYY-MM'), searchVolume: z.int() })),
          difficulty: z.number().nullable().describe('0 to 100.'),
          intent: z
            .enum(['informational', 'navigational', 'commercial', 'transactional'])
            .nullable()
            .describe(
              'Judged by words of this language that indicate it, or as the vendor says; null when neither does.',
            ),
          relevance: z
            .number()
            .nullable()
            .describe(
              "0 to 1: 0.7 times the share of the keyword's words that it has, and 0.3 divided by its best place in a list of suggestions. Null where a vendor gives none.",
            ),
          source: z.string().describe('The engines that suggest it, or the vendor.'),
        }),
      )
      .describe('Most relevant first, or in the order of the vendor.'),
    coverage,
  }),
  errors: seoErrors,
});
