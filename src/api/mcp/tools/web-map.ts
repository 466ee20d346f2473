import { z } from 'zod';
import { runJob } from '../run-job.ts';
import { defineTool, type MakeTool, maxTokens, pageUrl } from '../tool.ts';

const operation = 'web.scrape-links-map';

export const makeWebMap: MakeTool = (catalog) => {
  if (catalog.findQueued(operation) === undefined) return null;
  return defineTool({
    name: 'web_map',
    title: 'List the pages of a site',
    description:
      'Follows the links and sitemaps of a site and lists its pages with their titles. Use it to find the right page before web_read. It reads no content.',
    input: z.strictObject({
      url: pageUrl,
      search: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('Only pages whose URL or title has all of these words.'),
      limit: z.int().min(1).max(1_000).default(100).describe('How many pages are visited.'),
      maxTokens: maxTokens(3_000),
    }),
    readOnly: true,
    openWorld: true,
    run: ({ url, search, limit, maxTokens: bound }, call) =>
      runJob(call, operation, { url, limit, depth: 3 }, { maxTokens: bound, filter: search }),
  });
};
