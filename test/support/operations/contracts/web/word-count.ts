import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';
import { pageOperation } from '../../../../../src/shared/schemas/page-operation.ts';

export const wordCount = defineOperation({
  id: 'web.word-count',
  summary: 'Count the words of a page',
  description: 'Answers how many words a page shows. `Accept: text/plain` answers the number alone.',
  ...pageOperation({
    path: '/api/proxy/web/v1/word-count',
    fields: { minLength: z.int().min(1).default(1).describe('Letters that a word has at least.') },
  }),
  output: z.object({ words: z.int().describe('How many words the page shows.') }),
  representations: { 'text/plain': { text: ({ words }) => String(words) } },
});
