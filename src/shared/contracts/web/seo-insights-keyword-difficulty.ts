import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { country, coverage, keyword, language, seoErrors } from '../../schemas/seo.ts';

export const seoInsightsKeywordDifficulty = defineOperation({
  id: 'web.seo-insights-keyword-difficulty',
  summary: 'Keyword difficulty',
  description:
    'How hard it is to rank among the first ten results for a keyword, judged by the sites that rank there now. `factors` shows what the score is made of.',
  queue: 'seo',
  route: { method: 'POST', path: '/api/proxy/web/v1/seo-insights/keyword-difficulty' },
  timeoutMs: () => 60_000,
  input: z.strictObject({ keyword, country, language: language.optional() }),
  output: z.object({
    keyword: z.string(),
    country: z.string(),
    language: z.string(),
    difficulty: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .describe('The weighted mean of the factors; null when one of them is not known.'),
    band: z
      .enum(['easy', 'medium', 'hard', 'very hard'])
      .nullable()
      .describe('Below 30, below 50, below 70, and above.'),
    factors: z.array(
      z.object({
        name: z.string(),
        weight: z.number().describe('The weights add up to 1.'),
        value: z.number().nullable().describe('0 to 100; higher is harder.'),
        explanation: z.string(),
      }),
    ),
    serp: z
      .array(
        z.object({
          position: z.int(),
          url: z.string(),
          domain: z.string(),
          title: z.string(),
          authority: z.number().nullable().describe('0 to 100; null when it is not known.'),
        }),
      )
      .describe('The first ten results.'),
    coverage,
  }),
  errors: seoErrors,
});
