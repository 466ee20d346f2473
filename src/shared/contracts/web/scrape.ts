import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { pageMetadata, pageOptions, redirectHop, targetUrl } from '../../schemas/page-options.ts';

export const scrape = defineOperation({
  id: 'web.scrape',
  summary: 'Scrape a page',
  description:
    'Reads one page and answers its HTML and metadata. A 404 or 500 page of the target is a result with its `statusCode`.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/web/v1/scrape' },
  targets: (input) => [input.url],
  timeoutMs: (input) => 2 * input.timeout + 30_000,
  input: z
    .strictObject({
      url: targetUrl,
      ...pageOptions,
      formats: z
        .array(z.enum(['html', 'metadata']))
        .min(1)
        .max(2)
        .default(['html'])
        .describe('`html` is null where it is not asked for; title and metadata always come.'),
    })
    .refine((input) => input.render !== 'http' || input.waitFor === undefined, {
      path: ['waitFor'],
      message: '`waitFor` needs the browser: leave it out, or use render auto or browser',
    }),
  output: z.object({
    url: z.string().describe('As it was asked.'),
    finalUrl: z.string().describe('After redirects.'),
    statusCode: z.int().nullable().describe("The target's HTTP status."),
    html: z
      .string()
      .nullable()
      .describe('The document: as sent (engine http), or after scripts have run (engine browser).'),
    title: z.string().nullable(),
    contentType: z.string().nullable(),
    charset: z
      .string()
      .nullable()
      .describe('Encoding that the body was decoded from; null when the browser read it.'),
    headers: z.record(z.string(), z.string()).describe("The target's response headers, lower-case names."),
    metadata: pageMetadata.nullable().describe('Null where the body is no HTML.'),
    redirects: z.array(redirectHop),
    engine: z.enum(['http', 'browser']),
    bytes: z
      .int()
      .describe('Bytes of the decoded body (http), or received for the page and all it loaded (browser).'),
    truncated: z.boolean().describe('The body ended early; `html` holds what came.'),
  }),
  errors: [
    'url_not_allowed',
    'selector_not_found',
    'target_too_large',
    'unsupported_content',
    'target_dns_failed',
    'target_unreachable',
    'target_tls_failed',
    'target_protocol_error',
    'too_many_redirects',
    'page_crashed',
    'target_timeout',
    'page_unresponsive',
    'job_timeout',
  ],
});
