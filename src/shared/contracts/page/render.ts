import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { pageErrors } from '../../schemas/page-errors.ts';
import { warning } from '../../schemas/job.ts';
import { browserPageOptions, redirectHop } from '../../schemas/page-options.ts';

/** Internal: what a page is once a browser has run it. */
export const renderPage = defineOperation({
  id: 'page.render',
  summary: 'Render a page',
  description: 'Loads a page in Chromium and answers its document after scripts have run.',
  queue: 'browser',
  route: null,
  retries: { page_crashed: 1 },
  timeoutMs: (input) => input.timeout + 15_000,
  input: z.strictObject({
    url: z.string(),
    ...browserPageOptions,
  }),
  output: z.object({
    finalUrl: z.string(),
    statusCode: z.int().nullable(),
    headers: z.record(z.string(), z.string()),
    contentType: z.string().nullable(),
    charset: z.string().nullable(),
    kind: z.enum(['html', 'xml']).describe('xml: `html` is the document as it came.'),
    title: z.string(),
    html: z.string(),
    truncated: z.boolean(),
    bytes: z.int().describe('Bytes received for the page and everything it loaded.'),
    redirects: z.array(redirectHop),
    warnings: z.array(warning),
  }),
  errors: pageErrors,
});
