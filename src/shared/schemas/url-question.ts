import { z } from 'zod';
import { pageOptions, targetUrl } from './page-options.ts';

/** What may be said about how a URL is asked where its page is not wanted. */
export const urlQuestion = {
  url: targetUrl,
  maxRedirects: z
    .int()
    .min(0)
    .max(20)
    .default(10)
    .describe(
      'Maximum number of redirects, including meta refreshes if they count; beyond that, the error is `too_many_redirects`.',
    ),
  headers: pageOptions.headers,
  cookies: pageOptions.cookies,
  userAgent: pageOptions.userAgent,
  verifyTls: pageOptions.verifyTls,
};
