import { z } from 'zod';
import { warning } from './job.ts';

/** URLs of a batch. Whether each can be a target is its entry's matter, not the request's. */
export const urlList = (maxUrls: number) =>
  z
    .array(z.string().meta({ examples: ['https://example.com/'] }))
    .min(1)
    .max(maxUrls)
    .describe('Answered in this order, one entry each; the same URL twice is read once.');

const entryError = z.object({
  code: z.string(),
  title: z.string(),
  status: z.int().describe('That the request for this URL alone would have been answered with.'),
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
        data: data.optional().describe('Where it went well.'),
        error: entryError.optional().describe('Where it did not.'),
        warnings: z.array(warning).optional().describe('Of this entry, where there are any.'),
      }),
    ),
    succeeded: z.int(),
    failed: z.int(),
  });
}
