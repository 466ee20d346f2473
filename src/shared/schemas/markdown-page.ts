import { z } from 'zod';
import { extractedPage } from './extracted-page.ts';

/** What a client may say about the markdown of a page. */
export const markdownOptions = {
  onlyMainContent: z
    .boolean()
    .default(true)
    .describe('Leaves out menus, advertisements and the like, as `/extract` does.'),
  links: z
    .enum(['inline', 'referenced', 'none'])
    .default('inline')
    .describe(
      '`inline`: at their text; `referenced`: numbered, with a list at the end; `none`: their text only.',
    ),
  images: z.boolean().default(true).describe('Keeps images.'),
  frontMatter: z
    .boolean()
    .default(false)
    .describe('Begins the markdown with title, address, author, date and language as YAML.'),
  maxTokens: z
    .int()
    .min(1)
    .max(1_000_000)
    .meta({ examples: [2_000] })
    .optional()
    .describe(
      'Maximum length of the markdown in tokens (encoding `o200k_base`). Longer markdown is cut between two blocks, list items or table rows, and a warning says so.',
    ),
};

const { url, finalUrl, title } = extractedPage.shape;

export const markdownPage = z.object({
  url,
  finalUrl,
  title,
  markdown: z.string().describe('CommonMark with the tables, strikethrough and footnotes of GitHub.'),
  tokens: z.int().describe('Tokens of the markdown, in the encoding `o200k_base`.'),
  truncated: z.boolean().describe('True if `maxTokens` cut something off.'),
  metadata: extractedPage.pick({
    byline: true,
    siteName: true,
    publishedAt: true,
    modifiedAt: true,
    language: true,
    description: true,
    contentType: true,
    wordCount: true,
    confidence: true,
  }),
});
