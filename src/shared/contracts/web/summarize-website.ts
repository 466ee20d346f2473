import { z } from 'zod';
import { defineOperation, longWaitMs } from '../../operation.ts';
import { warning } from '../../schemas/job.ts';
import { pageOperation } from '../../schemas/page-operation.ts';
import { pageOptions } from '../../schemas/page-options.ts';
import { modelErrors, summaryOptions, tokenUsage } from '../../schemas/summary.ts';

const { length: _length, ...options } = summaryOptions;
/** Of each of its pages. */
const { waitFor: _waitFor, blockAds: _blockAds, ...pagesOptions } = pageOptions;

export const summarizeWebsite = defineOperation({
  id: 'web.summarize-website',
  summary: 'Summarise a website',
  description:
    'Finds pages of a site by its links, as `/scrape/links-map` does (robots.txt, same site, each page once), where links leave room also by its sitemaps; summarises each, then the site. Every page that was met and is not summarised is listed with its reason; the warning `pages_left_out` tells that the site has more than was looked at.',
  ...pageOperation({
    queue: 'ai',
    path: '/api/proxy/web/v1/summarize/website',
    options: pagesOptions,
    fields: {
      depth: z.int().min(0).max(3).default(1).describe('Link hops from `url`.'),
      maxPages: z.int().min(1).max(50).default(10).describe('Maximum number of pages that are summarised.'),
      ...options,
    },
    errors: modelErrors,
  }),
  timeoutMs: (input) => 600_000 + input.maxPages * 60_000,
  waitMs: longWaitMs,
  output: z.object({
    site: z.object({
      url: z.string().describe('The URL after redirects within its site.'),
      title: z.string().nullable(),
      summary: z.string(),
      purpose: z
        .string()
        .nullable()
        .describe('What the site is for; null with the built-in model, which makes no judgements.'),
      audience: z.string().nullable().describe('Who the site is for; null with the built-in model.'),
      topics: z.array(z.string()),
    }),
    pages: z.array(
      z.object({
        url: z.string(),
        depth: z
          .int()
          .nullable()
          .describe('Link hops from the root; null for a page that only a sitemap names.'),
        title: z.string().nullable(),
        summary: z.string().nullable().describe('Null when the page could not be summarised.'),
        error: z.string().optional().describe('Error code, if the page could not be summarised.'),
        warnings: z.array(warning).optional().describe('Warnings about this page, if there are any.'),
      }),
    ),
    skipped: z.array(
      z.object({
        url: z.string(),
        reason: z
          .string()
          .describe(
            '`robots` (robots.txt closes it), `page_limit` (beyond `maxPages`, or what the crawl has room and time for), `not_a_page` (its media type), `http_<status>` (a redirect among them where it leads to another site or to what robots.txt closes), or an error code.',
          ),
      }),
    ),
    model: z.string(),
    usage: tokenUsage,
  }),
});
