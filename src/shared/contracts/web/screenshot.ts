import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { pageOptions, targetUrl } from '../../schemas/page-options.ts';
import { screenshotErrors, screenshotRecord, storedScreenshot } from '../../schemas/screenshot.ts';

export const screenshot = defineOperation({
  id: 'web.screenshot',
  summary: 'Take a screenshot',
  description:
    'Renders a page and keeps its picture. `Accept: image/*` answers the picture itself, with `X-Screenshot-Id`.',
  queue: 'browser',
  route: { method: 'POST', path: '/api/proxy/web/v1/screenshot' },
  targets: (input) => [input.url],
  timeoutMs: (input) => input.timeout + 30_000,
  image: true,
  input: z.strictObject({
    url: targetUrl,
    timeout: pageOptions.timeout,
    waitFor: pageOptions.waitFor,
    headers: pageOptions.headers,
    cookies: pageOptions.cookies,
    userAgent: pageOptions.userAgent,
    verifyTls: pageOptions.verifyTls,
    fullPage: z
      .boolean()
      .default(false)
      .describe('The whole page, lazy images included, down to `maxHeight`.'),
    width: z.int().min(100).max(3840).default(1280).describe('Viewport width in CSS pixels.'),
    height: z.int().min(100).max(4320).default(720).describe('Viewport height in CSS pixels.'),
    format: z.enum(['png', 'jpeg', 'webp']).default('png').describe('Of the picture.'),
    quality: z.int().min(1).max(100).default(80).describe('Of jpeg and webp.'),
    deviceScaleFactor: z.number().min(1).max(3).default(1).describe('Image pixels per CSS pixel.'),
    selector: z.string().min(1).max(1_000).optional().describe('Only the first element that matches.'),
    darkMode: z.boolean().default(false).describe('`prefers-color-scheme: dark`.'),
    maxHeight: z
      .int()
      .min(100)
      .max(60_000)
      .default(30_000)
      .describe('Bound of a full page in CSS pixels; a taller page is cut there and `truncated`.'),
  }),
  output: storedScreenshot,
  data: screenshotRecord,
  errors: screenshotErrors,
});
