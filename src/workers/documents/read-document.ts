import type { Warning } from '../../shared/schemas/job.ts';
import type { Block } from '../extract/blocks.ts';
import { writeContent } from '../extract/content-html.ts';
import { countWords, joinBlocks } from '../extract/content-text.ts';
import type { ExtractedPage } from '../extract/extract-page.ts';
import { noName } from '../extract/person-names.ts';
import { excerptLength, readingMinutes } from '../extract/text-figures.ts';
import { parseTree } from '../extract/parse-tree.ts';
import { pickSelected, type Selection, takeOut } from '../extract/selected-blocks.ts';
import type { DocumentContent } from './document-content.ts';
import { noAuthor } from './placeholders.ts';
import { isMarkdown, readMarkdown } from './read-markdown.ts';
import { readPdfDocument } from './read-pdf-document.ts';
import { readWordDocument } from './read-word-document.ts';
import { readWorkbook } from './read-workbook.ts';
import { codeLanguageOf, readPlainText } from './read-plain-text.ts';
import { readCsv, readJson, readXml } from './read-text.ts';

export interface DocumentTask extends Selection {
  kind: 'pdf' | 'docx' | 'xlsx' | 'csv' | 'text' | 'xml';
  /** Of a PDF and an office document. */
  bytes: Uint8Array | null;
  /** Of all others, decoded. */
  text: string;
  /** Its file name tells a title where the document has none; relative addresses are resolved against it. */
  url: string;
  /** That the target declared, without parameters. */
  contentType: string | null;
}

export interface ReadDocument {
  page: ExtractedPage;
  warnings: Warning[];
}

async function readContent({ kind, bytes, text, contentType, url }: DocumentTask): Promise<DocumentContent> {
  const file = Buffer.from(bytes ?? []);
  switch (kind) {
    case 'pdf':
      return await readPdfDocument(file);
    case 'docx':
      return await readWordDocument(file);
    case 'xlsx':
      return readWorkbook(file);
    case 'csv':
      return readCsv(text, contentType);
    case 'xml':
      return readXml(text);
    case 'text':
      if (isMarkdown(contentType, url)) return readMarkdown(text);
      return readJson(text) ?? readPlainText(text, codeLanguageOf(contentType, url));
  }
}

/** Word's and markdown's bring addresses and HTML, workbooks may bring addresses; the others are written by ourselves. */
const isForeign = ({ kind, contentType, url }: DocumentTask, html: string): boolean =>
  kind === 'docx' ||
  (kind === 'xlsx' && html.includes('<a href=')) ||
  (kind === 'text' && isMarkdown(contentType, url));

/**
 * A document in the shape of a page's content.
 * @throws AppError `unsupported_content`, `target_too_large`, `selector_not_found`.
 */
export default async function readDocument(task: DocumentTask): Promise<ReadDocument> {
  const { html: whole, warnings, author, ...known } = await readContent(task);
  const { selector, excludeSelectors = [] } = task;
  const tree = parseTree(whole);
  takeOut(tree, excludeSelectors);
  const { page: all, picked } = pickSelected(tree, selector);
  const blocks = all.blocks.filter((_, index) => picked[index] === 1);
  const isOurs = !isForeign(task, whole) && selector === undefined && excludeSelectors.length === 0;
  const html = isOurs ? whole : writeContent(tree, blocks, task.url);
  const text = joinBlocks(blocks.filter((block) => block.text !== ''));
  const wordCount = countWords(text);
  const heading = findHeading(blocks, task.kind);
  const first = blocks.find((block) => block.text.length >= 60 && block.scope.tag === 'p')?.text ?? null;
  const page: ExtractedPage = {
    title: known.title ?? heading ?? fileName(task.url),
    byline: author === null || noAuthor.test(author) || noName.test(author) ? null : author,
    siteName: null,
    publishedAt: known.publishedAt,
    modifiedAt: known.modifiedAt,
    language: known.language,
    description: null,
    excerpt: first === null ? null : first.replace(/\s+/g, ' ').slice(0, excerptLength).toWellFormed(),
    text,
    html: html.toWellFormed(),
    images: [],
    wordCount,
    readingMinutes: readingMinutes(wordCount),
    confidence: wordCount > 0 ? 1 : 0,
  };
  return { page, warnings };
}

/** A file's first heading is its title; of a PDF, whose headings are told by their size, the largest at its beginning. */
function findHeading(blocks: readonly Block[], kind: DocumentTask['kind']): string | null {
  const first = (tag: string, among = blocks): string | undefined =>
    among.find(({ scope }) => scope.tag === tag)?.text;
  const beginning = blocks.slice(0, 10);
  const largest = kind === 'pdf' ? (first('h1', beginning) ?? first('h2', beginning)) : undefined;
  return largest ?? first('h1') ?? (kind === 'pdf' ? first('h3', beginning) : undefined) ?? null;
}

function fileName(url: string): string | null {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || null;
  } catch {
    return last || null;
  }
}
