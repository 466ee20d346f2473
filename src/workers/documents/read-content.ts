import type { PageQuery } from '../../shared/schemas/page-options.ts';
import type { ExtractedContent } from '../../shared/schemas/extracted-page.ts';
import type readDocument from './read-document.ts';
import type { JobContext } from '../handler.ts';
import type { PageTools } from '../page/obtain-page.ts';
import { readingOf } from '../page/page-reader.ts';
import { readPage } from '../page/read-page.ts';
import { defineTask, type TaskPool } from '../../shared/tasks/task.ts';
import type extractPage from '../extract/extract-page.ts';
import type { ExtractTask } from '../extract/extract-page.ts';

const extractPageTask = defineTask<typeof extractPage>(
  new URL('../extract/extract-page.ts', import.meta.url),
);
const readDocumentTask = defineTask<typeof readDocument>(new URL('./read-document.ts', import.meta.url));

/** What of a worker's tools reads content. */
export type ContentTools = PageTools & { readonly tasks: TaskPool };

/**
 * Loads a page or document and reads its content.
 * @throws AppError the codes of a page load, `target_blocked`, `selector_not_found`, `unsupported_content`,
 *   `target_too_large`.
 */
export async function readContent(
  input: PageQuery,
  wishes: Omit<ExtractTask, 'html' | 'url' | 'charset' | 'head' | 'hasRunScripts'>,
  job: JobContext,
  tools: ContentTools,
): Promise<ExtractedContent> {
  const loaded = await readPage(input, job, tools);
  const { finalUrl, contentType, kind, charset } = loaded;
  const told = { url: input.url, finalUrl, contentType };
  if (kind === 'html') {
    const { text: html, analyzed, engine } = loaded;
    const hasRunScripts = engine === 'browser';
    const task = { ...wishes, html, url: finalUrl, charset, hasRunScripts, head: analyzed?.head };
    return { ...told, ...(await tools.tasks.run(extractPageTask, task, readingOf(job))) };
  }
  const { selector, excludeSelectors } = wishes;
  const { bytes, text } = loaded;
  const task = { kind, bytes, text, url: finalUrl, contentType, selector, excludeSelectors };
  const { page, warnings } = await tools.tasks.run(readDocumentTask, task, readingOf(job));
  for (const { code, message } of warnings) job.warn(code, message);
  return { ...told, ...page };
}
