import { z } from 'zod';
import { warning } from './job.ts';

/** URLs of a batch. Whether each can be a target is its entry's matter, not the request's. */
export const urlList = (maxUrls: number) =>
  z
    .array(z.string().meta({ examples: ['https://example.com/'] }))
    .min(1)
    .max(maxUrls)
    .describe('Answered in this order, with one entry each; a URL that occurs twice is read once.');

const entryError = z.object({
  code: z.string(),
  title: z.string(),
  status: z.int().describe('The status that a request for this URL alone would get.'),
  detail: z.string(),
  retryable: z.boolean(),
});

/** Answers of a batch, one entry per URL in the order of the request. */
export function listResults<Data extends z.ZodType>(data: Data) {
  return z.object({
    results: z.array(
      z.object({
        url: z.string().describe('As requested.'),
        ok: z.boolean(),
        data: data.optional().describe('The result, if it succeeded.'),
        error: entryError.optional().describe('The error, if it failed.'),
        warnings: z.array(warning).optional().describe('Warnings about this entry, if there are any.'),
      }),
    ),
    succeeded: z.int(),
    failed: z.int(),
  });
}
