import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { targetErrors } from '../../schemas/page-errors.ts';
import { pageOptions } from '../../schemas/page-options.ts';
import { urlQuestion } from '../../schemas/url-question.ts';

export const urlGetUrlAfterRedirects = defineOperation({
  id: 'web.url-get-url-after-redirects',
  summary: 'Where does a URL lead?',
  description:
    'Follows redirects, and meta refreshes within 10 s, to the final URL. A loop is a result with `loop: true`; a redirect to a target that does not answer is one with `statusCode: null` and a warning.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/web/v1/url/get-url-after-redirects' },
  targets: (input) => [input.url],
  timeoutMs: (input) => input.timeout + 15_000,
  input: z.strictObject({
    ...urlQuestion,
    followMeta: z
      .boolean()
      .default(true)
      .describe(
        'Whether a `<meta http-equiv=refresh>` counts; that of an error page (status 400 and above) never does.',
      ),
    timeout: pageOptions.timeout,
  }),
  output: z.object({
    url: z.string().describe('As requested.'),
    finalUrl: z.string(),
    statusCode: z.int().nullable().describe('Status of the final URL; null when it did not answer.'),
    hops: z
      .array(
        z.object({
          url: z.string().describe('The URL that redirected.'),
          status: z.int(),
          kind: z.enum(['http', 'meta']),
          ms: z.number().describe('Milliseconds from the request to the redirect.'),
        }),
      )
      .describe('Redirects in order, without the final URL.'),
    loop: z.boolean().describe('True if the redirects return to an earlier URL, which is `finalUrl`.'),
    canonical: z
      .string()
      .nullable()
      .describe('Absolute canonical URL that the final page names, in its head or a Link header.'),
    downgradedToHttp: z.boolean().describe('True if a redirect led from https to http.'),
  }),
  errors: [...targetErrors, 'too_many_redirects'],
});
