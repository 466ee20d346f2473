import { join } from 'node:path';
import { Piscina } from 'piscina';
import { type AnalyzedPage, analyzePage, type PageText } from './analyze-page.ts';

/** Reads what a page says about itself; a large page is read off the event loop. */
export interface PageReader extends AsyncDisposable {
  /** @throws the reason of `signal`, which also ends the thread that reads. */
  analyze(page: PageText, signal: AbortSignal): Promise<AnalyzedPage>;
}

/** At this many characters even a hostile page takes a few milliseconds; handing it over would take longer. */
const smallPage = 64 * 1024;

export function createPageReader(threads: number): PageReader {
  const pool = new Piscina<PageText, AnalyzedPage>({
    filename: join(import.meta.dirname, 'analyze-page.ts'),
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 30_000,
  });
  return {
    async analyze(page, signal) {
      if (page.html.length <= smallPage) return analyzePage(page);
      return await pool.run(page, { signal });
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
