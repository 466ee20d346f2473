import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { batchOf } from '../../schemas/page-operation.ts';
import { modelErrors, summaryFields } from '../../schemas/summary.ts';
import { summarizeUrl } from './summarize-url.ts';

const { input, output, ...batch } = batchOf(summarizeUrl, {
  path: '/api/proxy/web/v1/summarize/urls',
  maxUrls: 20,
});

export const summarizeUrls = defineOperation({
  ...batch,
  queue: 'ai',
  id: 'web.summarize-urls',
  summary: 'Summarise several pages',
  description:
    'The same as `/summarize/url`, for up to 20 URLs with the same options; with `combine`, also what they say together. A URL that fails is an entry with its error.',
  input: input.safeExtend({
    combine: z.boolean().default(false).describe('Also summarises what the pages say together.'),
  }),
  output: z.object({
    items: output.shape.results.describe('One entry per URL, in the order of the request.'),
    succeeded: output.shape.succeeded,
    failed: output.shape.failed,
    combined: z
      .object({
        ...summaryFields,
        citations: z
          .array(
            summaryFields.citations.element.extend({
              url: z.string().describe('The page in which the quote occurs.'),
            }),
          )
          .describe('Quotes that support claims; a claim without a quote has no entry.'),
      })
      .nullable()
      .optional()
      .describe(
        'With `combine`; null where no page could be summarised. Its `usage` is what it took beside the pages. Where the model fails here, the built-in one makes it, with the warning `model_failed`.',
      ),
  }),
  // Of what the pages say together; each page has its own.
  errors: [...modelErrors, 'target_too_large'],
});
