import { z } from 'zod';
import { pdfOptions } from './pdf-options.ts';

export const pictureFormat = z.enum(['png', 'jpeg', 'webp', 'pdf']);

/** What is asked of a screenshot's picture, beside its page. */
export const pictureOptions = {
  fullPage: z
    .boolean()
    .default(false)
    .describe('Takes the whole page, including lazy images, down to `maxHeight`.'),
  width: z
    .int()
    .min(100)
    .max(3840)
    .optional()
    .describe(
      'Viewport width in CSS pixels; default: 1280, 412 for `mobile`, that of the `device` if one is given.',
    )
    .meta({ examples: [1280] }),
  height: z
    .int()
    .min(100)
    .max(4320)
    .optional()
    .describe(
      'Viewport height in CSS pixels; default: 720, 915 for `mobile`, that of the `device` if one is given.',
    )
    .meta({ examples: [720] }),
  deviceScaleFactor: z
    .number()
    .min(1)
    .max(3)
    .optional()
    .describe('Image pixels per CSS pixel; default: 1, or that of the `device` if one is given.')
    .meta({ examples: [2] }),
  device: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Name of a device in Puppeteer, e.g. `iPhone 15 Pro`, whose viewport, touch and user agent are used.',
    )
    .meta({ examples: ['iPhone 15 Pro'] }),
  format: pictureFormat
    .default('png')
    .describe('`pdf` prints the whole page; the field `pdf` has its options.'),
  pdf: pdfOptions.optional(),
  quality: z.int().min(1).max(100).default(80).describe('Quality of jpeg and webp.'),
  selector: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Takes only the first element that matches; ignored for a pdf.')
    .meta({ examples: ['main'] }),
  darkMode: z.boolean().default(false).describe('Sets `prefers-color-scheme: dark`.'),
  timeZone: z
    .string()
    .min(1)
    .max(60)
    .refine(isTimeZone, 'A time zone is a name of the IANA database, e.g. Europe/Zurich')
    .optional()
    .describe(
      'Time zone by its name in the IANA database, e.g. `Europe/Zurich`; default: that of the server.',
    )
    .meta({ examples: ['Europe/Zurich'] }),
  hideSelectors: z
    .array(z.string().min(1).max(1_000))
    .max(50)
    .default([])
    .describe('CSS selectors of elements to hide.')
    .meta({ examples: [['.chat-bubble']] }),
  css: z
    .string()
    .max(50_000)
    .optional()
    .describe(
      'A style sheet to add to the page. An `@import` in it is ignored, with the warning `css_import_ignored`.',
    )
    .meta({ examples: ['body { background: white }'] }),
  delay: z
    .int()
    .min(0)
    .max(10_000)
    .default(0)
    .describe(
      'Milliseconds to wait between loading the page and taking the picture. A navigation during this time is not followed.',
    ),
  blockCookieBanners: z
    .boolean()
    .default(true)
    .describe('Refuses cookie banners, or hides them if that is not possible; a warning says so.'),
  maxHeight: z
    .int()
    .min(100)
    .max(60_000)
    .default(30_000)
    .describe('Maximum height of a full page in CSS pixels; a taller page is cut there and `truncated`.'),
};

function isTimeZone(name: string): boolean {
  try {
    // Node takes offsets too, which Chromium has no clock for.
    return /^[a-z]/i.test(new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone);
  } catch {
    return false;
  }
}
