import { z } from 'zod';
import { pdfOptions } from './pdf-options.ts';

export const pictureFormat = z.enum(['png', 'jpeg', 'webp', 'pdf']);

/** What is asked of a screenshot's picture, beside its page. */
export const pictureOptions = {
  fullPage: z.boolean().default(false).describe('The whole page, lazy images included, down to `maxHeight`.'),
  width: z
    .int()
    .min(100)
    .max(3840)
    .optional()
    .describe('Viewport width in CSS pixels; default 1280, of a phone 412, of a `device` its own.')
    .meta({ examples: [1280] }),
  height: z
    .int()
    .min(100)
    .max(4320)
    .optional()
    .describe('Viewport height in CSS pixels; default 720, of a phone 915, of a `device` its own.')
    .meta({ examples: [720] }),
  deviceScaleFactor: z
    .number()
    .min(1)
    .max(3)
    .optional()
    .describe('Image pixels per CSS pixel; default 1, of a `device` its own.')
    .meta({ examples: [2] }),
  device: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('A device by its name in Puppeteer, e.g. `iPhone 15 Pro`: its viewport, touch and user agent.')
    .meta({ examples: ['iPhone 15 Pro'] }),
  format: pictureFormat
    .default('png')
    .describe('`pdf` prints the whole page; `pdf` in the request says how.'),
  pdf: pdfOptions.optional(),
  quality: z.int().min(1).max(100).default(80).describe('Of jpeg and webp.'),
  selector: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only the first element that matches; ignored for a pdf.')
    .meta({ examples: ['main'] }),
  darkMode: z.boolean().default(false).describe('`prefers-color-scheme: dark`.'),
  timeZone: z
    .string()
    .min(1)
    .max(60)
    .refine(isTimeZone, 'A time zone is a name of the IANA database, e.g. Europe/Zurich')
    .optional()
    .describe("Name in the IANA database, e.g. `Europe/Zurich`; default: the server's.")
    .meta({ examples: ['Europe/Zurich'] }),
  hideSelectors: z
    .array(z.string().min(1).max(1_000))
    .max(50)
    .default([])
    .describe('CSS selectors of what is left out.')
    .meta({ examples: [['.chat-bubble']] }),
  css: z
    .string()
    .max(50_000)
    .optional()
    .describe(
      'A style sheet that is added to the page; of an `@import` the warning `css_import_ignored` tells.',
    )
    .meta({ examples: ['body { background: white }'] }),
  delay: z
    .int()
    .min(0)
    .max(10_000)
    .default(0)
    .describe(
      'Milliseconds between the loaded page and its picture; where it leads elsewhere meanwhile, that is not followed.',
    ),
  blockCookieBanners: z
    .boolean()
    .default(true)
    .describe('Cookie banners are refused, or hidden where that is not possible; a warning says so.'),
  maxHeight: z
    .int()
    .min(100)
    .max(60_000)
    .default(30_000)
    .describe('Bound of a full page in CSS pixels; a taller page is cut there and `truncated`.'),
};

function isTimeZone(name: string): boolean {
  try {
    // Node takes offsets too, which Chromium has no clock for.
    return /^[a-z]/i.test(new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone);
  } catch {
    return false;
  }
}
