import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { bareContent, type DocumentContent } from './document-content.ts';
import { readFrontMatter } from './front-matter.ts';

const markdownType = /^text\/(?:x-)?markdown$/i;
const markdownFile = /\.(?:md|mdown|mkd|markdown)$/i;
/** What the converter puts before footnotes, for screen readers alone. */
const footnoteLabel = /<h2 id="footnote-label" class="sr-only">Footnotes<\/h2>\n?/;

/** Whether a text is markdown by its media type, or by its file's name where that says no more than "text". */
export const isMarkdown = (contentType: string | null, url: string): boolean =>
  markdownType.test(contentType ?? '') ||
  ((contentType ?? 'text/plain') === 'text/plain' && markdownFile.test(URL.parse(url)?.pathname ?? ''));

/** CommonMark with GitHub's extensions. Its HTML is foreign: what stands in it must be written anew. */
export function readMarkdown(text: string): DocumentContent {
  const unified = text.replace(/\r\n?/g, '\n').replace(/^\ufeff/, '');
  const { facts, length } = readFrontMatter(unified);
  const html = micromark(unified.slice(length), {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  return { ...bareContent(html.replace(footnoteLabel, '')), ...facts };
}
