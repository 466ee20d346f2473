import { defineOperation } from '../../operation.ts';
import { batchOf } from '../../schemas/page-operation.ts';
import { extract } from './extract.ts';

export const extractUrls = defineOperation({
  id: 'web.extract-urls',
  summary: 'Extract the content of many pages',
  description:
    'The same as `/extract`, for up to 100 URLs with the same options. A URL that fails is an entry with its error.',
  ...batchOf(extract, { path: '/api/proxy/web/v1/extract/urls' }),
});
