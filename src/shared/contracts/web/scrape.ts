import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { pageErrors } from '../../schemas/page-errors.ts';
import { targetUrl } from '../../schemas/page-options.ts';
import {
  browserForWait,
  documentedBrowserForWait,
  hasBrowserForWait,
  scrapedPage,
  scrapeOptions,
} from '../../schemas/scraped-page.ts';

export const scrape = defineOperation({
  id: 'web.scrape',
  summary: 'Scrape a page',
  description:
    'Reads one page and answers its HTML, text, links, metadata and what selectors pick out of it. A 404 or 500 page of the target is a result with its `statusCode`; a bot challenge is one with `blocked`.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/web/v1/scrape' },
  targets: (input) => [input.url],
  timeoutMs: (input) => 2 * input.timeout + 30_000,
  input: z
    .strictObject({ url: targetUrl, ...scrapeOptions })
    .refine(hasBrowserForWait, browserForWait)
    .meta(documentedBrowserForWait),
  output: scrapedPage,
  errors: pageErrors,
});
