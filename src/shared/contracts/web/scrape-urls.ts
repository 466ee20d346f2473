import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import {
  browserForWait,
  documentedBrowserForWait,
  hasBrowserForWait,
  scrapedPage,
  scrapeOptions,
} from '../../schemas/scraped-page.ts';
import { listResults, urlList } from '../../schemas/url-list.ts';

export const scrapeUrls = defineOperation({
  id: 'web.scrape-urls',
  summary: 'Scrape many pages',
  description:
    'As `/scrape` for up to 100 URLs with the same options. A URL that fails is an entry with its error.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/web/v1/scrape/urls' },
  timeoutMs: (input) => Math.ceil(input.urls.length / 8) * (2 * input.timeout + 30_000),
  waitMs: 110_000,
  input: z
    .strictObject({ urls: urlList, ...scrapeOptions })
    .refine(hasBrowserForWait, browserForWait)
    .meta(documentedBrowserForWait),
  output: listResults(scrapedPage),
  errors: [],
});
