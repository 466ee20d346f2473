import { z } from 'zod';

/** What a client wishes of a summary. */
export const summaryOptions = {
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('A model from `GET /ai/models`; default: the one marked there as the default.')
    .meta({ examples: ['quarry/extractive'] }),
  length: z.enum(['short', 'medium', 'long']).default('medium').describe('Length of the summary.'),
  language: z
    .string()
    .regex(/^[a-z]{2}$/, 'Give the language as an ISO 639-1 code, e.g. en')
    .optional()
    .describe(
      'Language of the summary, as ISO 639-1; default: that of the content. The built-in model always keeps to the language of the content, with a warning.',
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
    'Tokens as the provider counts them, of all calls together, including those whose answer could not be used; null for the built-in model, which uses none, and if the provider does not say.',
  );

const citation = z.object({
  claim: z.string().describe('A key point, or a sentence of the summary.'),
  quote: z.string().describe('Verified to occur in the content, apart from white space and quotation marks.'),
});

/** What is said of any content. */
export const summaryFields = {
  summary: z.string(),
  keyPoints: z.array(z.string()),
  topics: z.array(z.string()),
  citations: z.array(citation).describe('Quotes that support claims; a claim without a quote has no entry.'),
  model: z
    .string()
    .describe('The model that wrote it; `quarry/extractive` chooses sentences of the content.'),
  usage: tokenUsage,
  truncated: z
    .boolean()
    .describe('True if part of the content was left out, because it is too long for a summary.'),
};

export const pageSummary = z.object({
  url: z.string().describe('As requested.'),
  finalUrl: z.string().describe('After redirects.'),
  title: z.string().nullable(),
  language: z.string().nullable().describe('Language of the content, ISO 639-1; null when it is not known.'),
  wordCount: z.int().describe('Words in the content.'),
  readingMinutes: z.int().describe('Time to read the content, at 238 words per minute, rounded up.'),
  ...summaryFields,
});

/** Of an operation that asks a model, beside those of what it summarises. */
export const modelErrors = [
  'unknown_model',
  'upstream_failed',
  'not_configured',
  'token_budget_used',
] as const;
