import { z } from 'zod';

/** Of a request for a list: where its page begins. */
export const cursor = z
  .uuid('Use the `nextCursor` of the page before')
  .optional()
  .describe('`nextCursor` of the previous page.')
  .meta({ examples: ['0197f3c2-8d3a-7c41-b6f2-2f3f1d0a9e55'] });

/** Of its answer. */
export const nextCursor = z.uuid().nullable().describe('`cursor` of the next page; null on the last.');
