import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { browserPageOptions, targetUrl } from '../../schemas/page-options.ts';
import { pictureOptions } from '../../schemas/picture-options.ts';
import {
  screenshotErrors,
  screenshotRecord,
  screenshotRepresentations,
  storedScreenshot,
} from '../../schemas/screenshot.ts';

export const screenshot = defineOperation({
  id: 'web.screenshot',
  summary: 'Take a screenshot',
  description:
    'Renders a page and keeps its picture. `Accept: image/*` (of a pdf `application/pdf`) answers the picture itself, with `X-Screenshot-Id`.',
  queue: 'browser',
  route: { method: 'POST', path: '/api/proxy/web/v1/screenshot' },
  targets: (input) => [input.url],
  retries: { page_crashed: 1 },
  timeoutMs: (input) => input.timeout + input.delay + 30_000,
  representations: screenshotRepresentations,
  input: z.strictObject({
    url: targetUrl,
    ...browserPageOptions,
    ...pictureOptions,
  }),
  output: storedScreenshot,
  data: screenshotRecord,
  errors: screenshotErrors,
});
