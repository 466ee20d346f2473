import { join } from 'node:path';
import { Piscina } from 'piscina';
import { AppError } from '../../shared/errors.ts';
import analyzePage, {
  type AnalyzedPage,
  type PageTask,
  type PageText,
  type PageWishes,
} from './analyze-page.ts';
import type { PdfText } from './read-pdf.ts';

/** Reads pages; what takes long is read off the event loop. */
export interface PageReader extends AsyncDisposable {
  /**
   * @throws AppError `target_too_large` for a page that takes too long; the reason of `signal`, which also ends
   * the thread that reads.
   */
  analyze(page: PageText, signal: AbortSignal, wishes?: PageWishes): Promise<AnalyzedPage>;
  /** @throws AppError `unsupported_content` for a PDF that cannot be read; and as `analyze`. */
  readPdf(bytes: Buffer, signal: AbortSignal): Promise<PdfText>;
}

/** At this many characters even a hostile page takes a few milliseconds; handing it over would take longer. */
export const smallPage = 64 * 1024;
/** A page of 20 MB takes two seconds; more is a page made to take long. */
const readWithinMs = 20_000;

export function createPageReader(threads: number): PageReader {
  const open = <Task, Result>(file: string, maxThreads: number) =>
    new Piscina<Task, Result>({
      filename: join(import.meta.dirname, file),
      minThreads: 0,
      maxThreads,
      idleTimeout: 30_000,
      resourceLimits: { maxOldGenerationSizeMb: 1_024 },
    });
  const pages = open<PageTask, AnalyzedPage>('analyze-page.ts', threads);
  const pdfs = open<Uint8Array, PdfText>('read-pdf.ts', 1);

  async function within<T>(signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const time = AbortSignal.timeout(readWithinMs);
    try {
      return await run(AbortSignal.any([signal, time]));
    } catch (error) {
      signal.throwIfAborted();
      if (!time.aborted && !isOutOfMemory(error)) throw error;
      throw new AppError(
        'target_too_large',
        'The document is too large or too deeply nested to be read. Ask for less of it, or for `html` alone.',
        { cause: error },
      );
    }
  }

  return {
    async analyze(page, signal, wishes = {}) {
      // Selectors can be made slow on a small page too.
      if (page.html.length <= smallPage && !wishes.elements) return analyzePage({ page, wishes });
      return await within(signal, (bounded) => pages.run({ page, wishes }, { signal: bounded }));
    },
    async readPdf(bytes, signal) {
      try {
        return await within(signal, (bounded) => pdfs.run(new Uint8Array(bytes), { signal: bounded }));
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AppError) throw error;
        throw new AppError(
          'unsupported_content',
          'The target is a PDF that cannot be read: it is damaged or encrypted. Give the URL of another document.',
          { cause: error },
        );
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([pages.destroy(), pdfs.destroy()]);
    },
  };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
