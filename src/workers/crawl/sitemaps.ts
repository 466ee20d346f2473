import type { EgressLease } from '../../shared/egress/types.ts';
import { createTimeSlice } from './yield-to-event-loop.ts';
import { defineTask, type TaskOptions, type TaskPool } from '../../shared/tasks/task.ts';
import { isOverloaded, retryOverloaded } from './retry-overloaded.ts';
import { askWithRetries, PauseBudget } from './busy-host.ts';
import type readSitemap from './parse-sitemap.ts';
import { maxSitemapBytes, type Sitemap } from './parse-sitemap.ts';

const maxSitemaps = 50;
/** sitemaps.org: of one file. */
const maxEntries = 50_000;
const readAtOnce = 4;
/** That a crawl waits for busy servers before it has read a page. */
const pausesAtMostMs = 30_000;
/** For the pages of sitemaps that have come, once the time is over. */
const lateMs = 2_000;
const readSitemapTask = defineTask<typeof readSitemap>(new URL('./parse-sitemap.ts', import.meta.url));

export interface ReadSitemaps {
  /** Those that were there, in the order in which they were read. */
  sitemaps: string[];
  /** Pages that they name and the map wants, each once. */
  urls: string[];
  /** There were more of either, or the time was over. */
  isCut?: boolean;
  /** Named by robots.txt or an index, and not to be had; at the end of the time also what nobody named and had not answered. */
  missing?: string[];
}

/** What a reader of sitemaps asks for. */
export interface WantedPages {
  maxUrls: number;
  wants(url: string): boolean;
}

export interface SitemapReader {
  lease: Pick<EgressLease, 'fetch'>;
  tasks: TaskPool;
  owner: TaskOptions['owner'];
  headers: Record<string, string>;
  timeoutMs: number;
  signal: AbortSignal;
  /** The end of the time: the answer is then what was read. */
  over: AbortSignal;
}

/**
 * @returns `cut` where the time was over before; null where there is none.
 * @throws AppError `overloaded` where we are too busy to read it: that says nothing of the site.
 */
async function fetchSitemap(
  reader: SitemapReader,
  url: string,
  pauses: PauseBudget,
): Promise<Sitemap | 'cut' | null> {
  const { lease, tasks, owner, headers, timeoutMs } = reader;
  const signal = AbortSignal.any([reader.signal, reader.over]);
  const request = { url, maxRedirects: 5, maxBodyBytes: maxSitemapBytes, headers, timeoutMs, signal };
  const answer = await askWithRetries(lease, request, pauses).catch(() => null);
  reader.signal.throwIfAborted();
  if (answer === null && signal.aborted) return 'cut';
  if (answer === null || answer.status < 200 || answer.status >= 300) return null;
  const { body, headers: answered, truncated } = answer;
  const task = { body, contentType: answered['content-type'] ?? '', url: answer.url, maxEntries };
  const read = async () => {
    const sitemap = await tasks.run(readSitemapTask, task, { signal, owner });
    return sitemap && { ...sitemap, isCut: sitemap.isCut || truncated };
  };
  return await retryOverloaded(read, signal).catch((error: unknown) => {
    reader.signal.throwIfAborted();
    if (signal.aborted) return 'cut';
    if (isOverloaded(error)) throw error;
    return null;
  });
}

/**
 * Reads sitemaps and the indexes that name more of them, until `maxUrls` wanted pages are known or the time is over.
 * @param guessed where one may be that nobody has named: each is asked for where there is none at the one before.
 * @throws AppError `overloaded` where we are too busy to read one.
 */
export async function readSitemaps(
  reader: SitemapReader,
  named: readonly string[],
  guessed: readonly string[],
  { maxUrls, wants }: WantedPages,
): Promise<ReadSitemaps> {
  const known = new Set([...named.slice(0, maxSitemaps - 1), ...guessed.slice(0, 1)]);
  let isCut = named.length >= maxSitemaps;
  const sitemaps: string[] = [];
  const missing: string[] = [];
  const urls = new Set<string>();
  const slice = createTimeSlice();
  const pauses = new PauseBudget(pausesAtMostMs);
  let lateAt: number | null = null;
  // No listener: one of a signal that is made of others keeps all that it knows, until these end it.
  const isLate = (): boolean => {
    if (!reader.over.aborted) return false;
    lateAt ??= performance.now() + lateMs;
    return performance.now() > lateAt;
  };
  const index = (next: string): void => {
    if (known.size < maxSitemaps) known.add(next);
    else isCut ||= !known.has(next);
  };
  const isGuess = (url: string): boolean => guessed.includes(url) && !named.includes(url);
  const addPages = async (pages: readonly string[]): Promise<void> => {
    for (const page of pages) {
      if (slice.isOver()) await slice.yieldToEventLoop();
      reader.signal.throwIfAborted();
      if (isLate()) return void (isCut = true);
      if (urls.has(page) || !wants(page)) continue;
      if (urls.size < maxUrls) urls.add(page);
      else isCut = true;
    }
  };
  let asked = 0;
  while (asked < known.size && urls.size < maxUrls && !reader.over.aborted) {
    const wave = [...known].slice(asked, asked + readAtOnce);
    asked += wave.length;
    const read = await Promise.all(wave.map((url) => fetchSitemap(reader, url, pauses)));
    for (const [at, sitemap] of read.entries()) {
      const url = wave[at] ?? '';
      if (sitemap === 'cut') {
        missing.push(url);
        isCut = true;
        continue;
      }
      if (sitemap === null) {
        const next = guessed[guessed.indexOf(url) + 1];
        if (!isGuess(url)) missing.push(url);
        else if (next !== undefined) index(next);
        continue;
      }
      sitemaps.push(url);
      isCut ||= sitemap.isCut;
      for (const next of sitemap.indexed) index(next);
      await addPages(sitemap.pages);
    }
    isCut ||= urls.size >= maxUrls && asked < known.size;
  }
  const unasked = urls.size < maxUrls ? [...known].slice(asked) : [];
  missing.push(...unasked.filter((url) => !isGuess(url)));
  return { sitemaps, urls: [...urls], isCut: isCut || unasked.length > 0, missing };
}
