import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { urlQuestion } from '../../schemas/url-question.ts';

const ms = z.number().min(0);

export const urlIsAlive = defineOperation({
  id: 'web.url-is-alive',
  summary: 'Is a URL alive?',
  description:
    'Sends a GET request, as anybody who follows the URL does, and does not read the body. A dead target is a result with `alive: false`. Alive: 2xx, 401, 403, 405, 429.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/web/v1/url/is-alive' },
  targets: (input) => [input.url],
  timeoutMs: (input) => input.timeout + 15_000,
  input: z.strictObject({
    ...urlQuestion,
    timeout: z
      .int()
      .min(1_000)
      .max(60_000)
      .default(10_000)
      .describe('Time limit of the whole check in milliseconds.'),
  }),
  output: z.object({
    url: z.string().describe('As requested.'),
    alive: z.boolean(),
    reason: z
      .string()
      .describe(
        '`ok`, `needs_login`, `method_not_allowed`, `rate_limited`; `not_found`, `gone`, `client_error`, `server_error`, `unexpected_status`; or the error code of what failed, e.g. `target_dns_failed`.',
      ),
    statusCode: z.int().nullable().describe('Status of the last answer; null when none came.'),
    finalUrl: z.string().describe('The URL at which the redirects ended or failed.'),
    redirects: z.int().describe('Number of redirects that were followed.'),
    responseTimeMs: ms
      .nullable()
      .describe("From the start to the last answer's headers; null when none came."),
    timings: z
      .object({
        dnsMs: ms.nullable(),
        connectMs: ms.nullable(),
        tlsMs: ms.nullable().describe('Null without TLS.'),
        ttfbMs: ms.nullable().describe("From the last request to its answer's first byte."),
      })
      .describe('Sums over all connections that were opened; null for phases that were not reached.'),
    tls: z
      .object({
        valid: z.boolean(),
        issuer: z.string().nullable(),
        expiresAt: z.iso.datetime().nullable(),
        daysLeft: z.int().nullable().describe('Negative once the certificate has expired.'),
      })
      .nullable()
      .describe('Certificate of the final URL, even if it is not valid; null for http.'),
    contentType: z.string().nullable(),
    checkedAt: z.iso.datetime(),
  }),
  errors: ['url_not_allowed', 'egress_proxy_failed', 'job_timeout'],
});
