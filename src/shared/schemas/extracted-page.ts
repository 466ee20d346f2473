import { z } from 'zod';

const cssSelector = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .meta({ examples: ['article'] });

/** What a client may say about where the content stands. */
export const extractOptions = {
  selector: cssSelector
    .optional()
    .describe(
      'CSS selector of the content: exactly what it matches is read. In a document it is matched against the `html` that is made of it.',
    ),
  excludeSelectors: z
    .array(cssSelector)
    .max(50)
    .optional()
    .describe('CSS selectors of elements to remove before the page is read.'),
};

const statedDate = z
  .string()
  .nullable()
  .meta({ examples: ['2026-03-14T09:30:00+01:00', '2026-03-14'] });

const pageImage = z.object({
  url: z.string().describe('Absolute.'),
  alt: z.string().nullable(),
  caption: z.string().nullable(),
  width: z.int().nullable().describe('CSS pixels, as the page states them.'),
  height: z.int().nullable(),
});

/** The content of a page or document, and what is known of it. */
export const extractedPage = z.object({
  url: z.string().describe('As requested.'),
  finalUrl: z.string().describe('After redirects.'),
  contentType: z.string().nullable().describe('As declared by the target.'),
  title: z.string().nullable().describe('Without the name of the site.'),
  byline: z.string().nullable().describe('Who wrote it; several names separated by commas.'),
  siteName: z.string().nullable(),
  publishedAt: statedDate.describe(
    'When it was published, as the page states it: a day, or a moment with the offset that the page gives.',
  ),
  modifiedAt: statedDate.describe('When it was last changed, as the page states it.'),
  language: z
    .string()
    .nullable()
    .describe(
      'Language tag that the page declares, e.g. `de-CH`; else that of its text, where that is clear.',
    ),
  description: z.string().nullable().describe('The description that the page gives of itself.'),
  excerpt: z.string().nullable().describe('The description, or the first paragraph; at most 300 characters.'),
  text: z
    .string()
    .describe(
      'Plain text of the content: an empty line between paragraphs, one line per list item, a tab between the cells of a row. Without captions, which are in `images` and `html`.',
    ),
  html: z
    .string()
    .describe(
      'The content with its structure (headings, lists, tables, code, quotes, figures), without scripts, styles and class names, with absolute addresses.',
    ),
  images: z
    .array(pageImage)
    .describe('The main picture of the page first, then the others in the order of the page.'),
  wordCount: z.int(),
  readingMinutes: z.int().describe('At 238 words per minute, rounded up.'),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .describe(
      'The F1 to expect of the words of `text` against the content of the page: of pages at 0.9, nine tenths are right on the average; under 0.5, more of it is likely to be wrong or missing than right. 1 where nothing is judged (documents, a `selector`), 0 where there is no text.',
    ),
});
export type ExtractedContent = z.output<typeof extractedPage>;
