import { defineOperation } from '../../operation.ts';
import { pageErrors } from '../../schemas/page-errors.ts';
import { pageOperation } from '../../schemas/page-operation.ts';
import { scrapedPage, scrapeFields } from '../../schemas/scraped-page.ts';

export const scrape = defineOperation({
  id: 'web.scrape',
  summary: 'Scrape a page',
  description:
    'Reads one page and answers its HTML, text, links, metadata and what selectors pick out of it. A 404 or 500 page of the target is a result with its `statusCode`; a bot challenge is one with `blocked`.',
  ...pageOperation({ path: '/api/proxy/web/v1/scrape', fields: scrapeFields, loadErrors: pageErrors }),
  output: scrapedPage,
});
