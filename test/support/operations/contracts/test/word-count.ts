import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';
import { pageOperation } from '../../../../../src/shared/schemas/page-operation.ts';

/** An operation on a page, as CONTRIBUTING says that one is written. */
export const wordCount = defineOperation({
  id: 'test.word-count',
  summary: 'Count words',
  description: 'Counts the words of a page, or the bytes of a document.',
  ...pageOperation({
    path: '/api/proxy/test/v1/word-count',
    fields: { minLength: z.int().min(1).default(1).describe('Letters that a word has at least.') },
  }),
  output: z.object({
    kind: z.string(),
    title: z.string().nullable(),
    words: z.int().nullable(),
    documentBytes: z.int().nullable(),
  }),
});
