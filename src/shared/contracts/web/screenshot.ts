import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { pageErrors } from '../../schemas/page-errors.ts';
import { browserPageOptions, targetUrl } from '../../schemas/page-options.ts';
import { pictureOptions } from '../../schemas/picture-options.ts';
import { screenshotRecord, screenshotRepresentations, storedScreenshot } from '../../schemas/screenshot.ts';

export const screenshot = defineOperation({
  id: 'web.screenshot',
  summary: 'Take a screenshot',
  description:
    'Renders the page at `url`, or the `html` of the request, and keeps the picture. `Accept: image/*` (`application/pdf` for a pdf) answers the picture itself, with `X-Screenshot-Id`.',
  queue: 'browser',
  route: { method: 'POST', path: '/api/proxy/web/v1/screenshot' },
  targets: (input) => (input.url === undefined ? [] : [input.url]),
  retries: { page_crashed: 1 },
  timeoutMs: (input) => input.timeout + input.delay + 30_000,
  representations: screenshotRepresentations,
  input: z
    .strictObject({
      url: targetUrl.optional(),
      html: z
        .string()
        .min(1)
        .max(1_000_000)
        .optional()
        .describe(
          'The page itself, in place of `url`. Its origin is opaque: it has no cookies and no storage, and what it loads needs absolute URLs.',
        )
        .meta({ examples: ['<h1>Invoice 17</h1>'] }),
      ...browserPageOptions,
      ...pictureOptions,
    })
    .superRefine(({ url, html, headers, cookies }, { addIssue }) => {
      const refuse = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message });
      if (url === undefined && html === undefined)
        refuse(
          'url',
          'Give the absolute URL of a page, e.g. https://example.com/, or the page itself as `html`',
        );
      if (url !== undefined && html !== undefined) refuse('html', 'Give either `url` or `html`, not both');
      if (html !== undefined && headers !== undefined)
        refuse('headers', 'Headers go to the origin of `url`, and `html` has none; omit them');
      if (html !== undefined && cookies !== undefined)
        refuse('cookies', 'Cookies go to the origin of `url`, and `html` has none; omit them');
    })
    .meta({
      if: { not: { required: ['html'] } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['url'] },
      not: { required: ['url', 'html'] },
    }),
  output: storedScreenshot,
  data: screenshotRecord,
  errors: [...pageErrors, 'image_too_large'],
});
