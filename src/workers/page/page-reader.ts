import { AppError } from '../../shared/errors.ts';
import { defineTask, type TaskOptions, type TaskPool } from '../../shared/tasks/task.ts';
import analyzePage, { type AnalyzedPage, type PageText, type PageWishes } from './analyze-page.ts';
import type judgeScripts from './engine/judge-scripts.ts';
import type { JudgedPage } from './engine/needs-browser.ts';
import type checkSelectors from './html/check-selectors.ts';
import { findCharsetQuickly } from './html/charset.ts';
import type decodeBody from './html/decode-body.ts';
import { type BodyTask, decodeAs, type DecodedBody, isXhtml } from './html/decode-body.ts';
import type { ElementQuery } from './html/pick-elements.ts';
import type readPdf from './fetch/read-pdf.ts';
import skimPage, { type SkimmedPage, type SkimTask } from './html/skim-page.ts';
import findPageRefresh, { type RefreshingPage } from './html/page-refresh.ts';
import type { PdfText } from './fetch/read-pdf.ts';

/** Whose reading it is, and when it is over. */
export type Reading = Pick<TaskOptions, 'signal' | 'owner'>;

export const readingOf = (job: { signal: AbortSignal; userId: string }): Reading => ({
  signal: job.signal,
  owner: job.userId,
});

/** Reads pages; what takes long is read off the event loop. */
export interface PageReader {
  /** The text of a body. @throws AppError as `TaskPool.run`. */
  decode(body: BodyTask & { body: Buffer }, reading: Reading): Promise<DecodedBody>;
  /** Refuses selectors that are none. @throws AppError `invalid_request`; and as `TaskPool.run`. */
  checkSelectors(queries: readonly ElementQuery[], reading: Reading): Promise<void>;
  /** @throws AppError as `TaskPool.run`. */
  analyze(page: PageText, reading: Reading, wishes?: PageWishes): Promise<AnalyzedPage>;
  /** Its head and its links only. @throws AppError as `TaskPool.run`. */
  skim(page: SkimTask, reading: Reading): Promise<SkimmedPage>;
  /**
   * Whether a page needs a browser, by the texts of its scripts too.
   * @throws AppError as `TaskPool.run`.
   */
  needsBrowser(page: JudgedPage, reading: Reading): Promise<boolean>;
  /** @throws AppError as `TaskPool.run`. */
  findRefresh(page: RefreshingPage, reading: Reading): Promise<ReturnType<typeof findPageRefresh>>;
  /** @throws AppError `unsupported_content` for a PDF that cannot be read; and as `analyze`. */
  readPdf(bytes: Buffer, reading: Reading): Promise<PdfText>;
}

/** At this many characters even a hostile page takes a few milliseconds; handing it over costs about one. */
export const smallPage = 16 * 1024;

const analyzePageTask = defineTask<typeof analyzePage>(new URL('./analyze-page.ts', import.meta.url));
const skimPageTask = defineTask<typeof skimPage>(new URL('./html/skim-page.ts', import.meta.url));
const decodeBodyTask = defineTask<typeof decodeBody>(new URL('./html/decode-body.ts', import.meta.url));
const checkSelectorsTask = defineTask<typeof checkSelectors>(
  new URL('./html/check-selectors.ts', import.meta.url),
);
const judgeScriptsTask = defineTask<typeof judgeScripts>(
  new URL('./engine/judge-scripts.ts', import.meta.url),
);
const findRefreshTask = defineTask<typeof findPageRefresh>(
  new URL('./html/page-refresh.ts', import.meta.url),
);
const readPdfTask = defineTask<typeof readPdf>(new URL('./fetch/read-pdf.ts', import.meta.url));

export function createPageReader(tasks: TaskPool): PageReader {
  return {
    async decode(task, reading) {
      const { body, contentType, kind } = task;
      const isQuick = body.length <= smallPage || !isXhtml(task);
      const charset = isQuick ? findCharsetQuickly(body, contentType, kind) : null;
      if (charset !== null) return decodeAs(charset, body, { contentType, kind });
      return await tasks.run(decodeBodyTask, task, reading);
    },
    async checkSelectors(queries, reading) {
      await tasks.run(checkSelectorsTask, queries, reading);
    },
    async analyze(page, reading, wishes = {}) {
      // Selectors can be made slow on a small page too.
      if (page.html.length <= smallPage && !wishes.elements) return analyzePage({ page, wishes });
      return await tasks.run(analyzePageTask, { page, wishes }, reading);
    },
    async skim(page, reading) {
      if (page.html.length <= smallPage) return skimPage(page);
      return await tasks.run(skimPageTask, page, reading);
    },
    async needsBrowser(page, reading) {
      return await tasks.run(judgeScriptsTask, page, reading);
    },
    async findRefresh(page, reading) {
      if (page.html.length <= smallPage) return findPageRefresh(page);
      return await tasks.run(findRefreshTask, page, reading);
    },
    async readPdf(bytes, reading) {
      try {
        return await tasks.run(readPdfTask, bytes, reading);
      } catch (error) {
        reading.signal.throwIfAborted();
        if (error instanceof AppError) throw error;
        throw new AppError(
          'unsupported_content',
          'The target is a PDF that cannot be read: it is damaged or encrypted. Give the URL of another document.',
          { cause: error },
        );
      }
    },
  };
}
