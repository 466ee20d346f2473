import { z } from 'zod';
import { defineOperation, longWaitMs } from '../../operation.ts';
import { targetErrors } from '../../schemas/page-errors.ts';
import { pageOperation } from '../../schemas/page-operation.ts';
import { pageOptions } from '../../schemas/page-options.ts';

const { timeout, headers, cookies, userAgent, locale, mobile, store, verifyTls } = pageOptions;

const globs = z
  .array(z.string().min(1).max(500))
  .min(1)
  .max(50)
  .optional()
  .meta({ examples: [['/blog/**']] });

export const scrapeLinksMap = defineOperation({
  id: 'web.scrape-links-map',
  summary: 'Map the links of a site',
  description:
    'Follows links breadth first over plain HTTP and answers pages and the links between them. Each page comes once: URLs that differ only by a redirect, a canonical URL, a session id or a slash at the end count as one. Politely: few requests at a time to one host by all jobs together, and as its robots.txt says. At the time bound the answer is what is known by then, `truncated`. Links of more than 2,048 characters are left out; of a page the first 2,000 links count (the warning `links_cut` tells of pages that have more).',
  ...pageOperation({
    path: '/api/proxy/web/v1/scrape/links-map',
    options: { timeout, headers, cookies, userAgent, locale, mobile, store, verifyTls },
    fields: {
      depth: z.int().min(0).max(5).default(1).describe('Link hops from `url`.'),
      limit: z.int().min(1).max(5_000).default(500).describe('Maximum number of pages.'),
      sameDomain: z
        .boolean()
        .default(true)
        .describe(
          'Only pages of the same registrable domain, its subdomains included. A `url` that redirects to another site is then the only node, and the warning `redirected_elsewhere` names that site.',
        ),
      include: globs.describe(
        'Only pages whose path and query match one of these globs (`*` within a segment, `**` across, `?` one character), or whose whole URL does where the glob holds `://`. The root always counts.',
      ),
      exclude: globs.describe(
        'Leaves out pages that match one of these globs; takes precedence over `include`.',
      ),
      sitemap: z
        .boolean()
        .default(true)
        .describe('Includes pages that only the sitemaps name; their `depth` is null. Ignored at depth 0.'),
      respectRobots: z
        .boolean()
        .default(true)
        .describe('Obeys robots.txt (as the agent `Quarry`), its crawl delay, and the nofollow of pages.'),
    },
    loadErrors: targetErrors,
  }),
  timeoutMs: (input) => 120_000 + 200 * input.limit,
  waitMs: longWaitMs,
  output: z.object({
    root: z.string().describe('The URL after redirects within its site, e.g. to https or www.'),
    nodes: z
      .array(
        z.object({
          url: z.string(),
          depth: z
            .int()
            .nullable()
            .describe('Link hops from the root; null for a page that only a sitemap names.'),
          title: z.string().nullable(),
          status: z.int().nullable().describe('HTTP status; null when the page did not answer.'),
          type: z.string().nullable().describe('Media type, e.g. `text/html`.'),
          inbound: z.int().describe('Pages of the map that link to it.'),
          error: z.string().nullable().describe('Error code, if the page did not answer.'),
        }),
      )
      .describe('Breadth first, in the order of the links; then those of the sitemaps.'),
    edges: z
      .array(z.object({ from: z.string(), to: z.string(), anchor: z.string(), rel: z.string() }))
      .describe('Links between the nodes, one for each pair; at most 100,000.'),
    sitemaps: z.array(z.string()).describe('Sitemaps that were found and read.'),
    blockedByRobots: z.array(z.string()).describe('URLs that robots.txt disallows; at most 1,000.'),
    leftOut: z
      .array(z.string())
      .optional()
      .describe('URLs that were found but not visited, because of the limit or the time; at most 1,000.'),
    truncated: z
      .boolean()
      .describe('True if there is more than the limit, the time, or the bounds of links and edges allow.'),
  }),
});
