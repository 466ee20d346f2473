import { defineOperation } from '../../operation.ts';
import { batchOf } from '../../schemas/page-operation.ts';
import { scrape } from './scrape.ts';

export const scrapeUrls = defineOperation({
  id: 'web.scrape-urls',
  summary: 'Scrape many pages',
  description:
    'The same as `/scrape`, for up to 100 URLs with the same options. A URL that fails is an entry with its error.',
  ...batchOf(scrape, { path: '/api/proxy/web/v1/scrape/urls' }),
});
