import { z } from 'zod';

/** What a client wishes of a summary. */
export const summaryOptions = {
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('A model of `GET /ai/models`; default: the one that it marks as the default.')
    .meta({ examples: ['quarry/extractive'] }),
  length: z.enum(['short', 'medium', 'long']).default('medium').describe('Of the summary.'),
  language: z
    .string()
    .regex(/^[a-z]{2}$/, 'Give the language as an ISO 639-1 code, e.g. en')
    .optional()
    .describe(
      'Of the summary, as ISO 639-1; default: that of the content. The built-in model keeps to that of the content, with a warning.',
    )
    .meta({ examples: ['en'] }),
  focus: z
    .string()
    .trim()
    .min(1)
    .max(1_000)
    .optional()
    .describe('What the reader wants to know.')
    .meta({ examples: ['What does it cost?'] }),
};

export const tokenUsage = z
  .object({ inputTokens: z.int(), outputTokens: z.int() })
  .nullable()
  .describe(
    'As the provider counts them, all calls together, also those whose answer came to nothing; null for the built-in model, which uses none, and where the provider does not tell.',
  );

const citation = z.object({
  claim: z.string().describe('A key point, or a sentence of the summary.'),
  quote: z.string().describe('Stands in the content: looked up, white space and quotation marks apart.'),
});

/** What is said of any content. */
export const summaryFields = {
  summary: z.string(),
  keyPoints: z.array(z.string()),
  topics: z.array(z.string()),
  citations: z.array(citation).describe('Of the claims that a quote proves; others have no entry.'),
  model: z.string().describe('That wrote it; `quarry/extractive` chooses sentences of the content.'),
  usage: tokenUsage,
  truncated: z
    .boolean()
    .describe('A part of the content was left out: it is longer than a summary can be made of.'),
};

export const pageSummary = z.object({
  url: z.string().describe('As requested.'),
  finalUrl: z.string().describe('After redirects.'),
  title: z.string().nullable(),
  language: z.string().nullable().describe('Of the content, ISO 639-1; null where it cannot be told.'),
  wordCount: z.int().describe('Of the content.'),
  readingMinutes: z.int().describe('Of the content.'),
  ...summaryFields,
});

/** Of an operation that asks a model, beside those of what it summarises. */
export const modelErrors = [
  'unknown_model',
  'upstream_failed',
  'not_configured',
  'token_budget_used',
] as const;
