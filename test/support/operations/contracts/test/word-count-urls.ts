import { defineOperation } from '../../../../../src/shared/operation.ts';
import { batchOf } from '../../../../../src/shared/schemas/page-operation.ts';
import { wordCount } from './word-count.ts';

export const wordCountUrls = defineOperation({
  id: 'test.word-count-urls',
  summary: 'Count words of many pages',
  description: 'As `/word-count`, for up to 3 URLs.',
  ...batchOf(wordCount, { path: '/api/proxy/test/v1/word-count/urls', maxUrls: 3 }),
});
