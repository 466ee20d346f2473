import type { EgressLease } from '../../shared/egress/types.ts';
import { createBreather } from './breather.ts';
import { defineTask, type TaskOptions, type TaskPool } from '../../shared/tasks/task.ts';
import { isOverloaded, onceThereIsRoom } from './await-room.ts';
import { askPatiently, Patience } from './busy-host.ts';
import type readSitemap from './parse-sitemap.ts';
import { maxSitemapBytes, type Sitemap } from './parse-sitemap.ts';

const maxSitemaps = 50;
/** sitemaps.org: of one file. */
const maxEntries = 50_000;
const readAtOnce = 4;
/** That a crawl waits for busy servers before it has read a page. */
const patienceMs = 30_000;
const readSitemapTask = defineTask<typeof readSitemap>(new URL('./parse-sitemap.ts', import.meta.url));

export interface ReadSitemaps {
  /** Those that were there, in the order in which they were read. */
  sitemaps: string[];
  /** Pages that they name and the map wants, each once. */
  urls: string[];
  /** There were more of either. */
  isCut?: boolean;
  /** Named by robots.txt or an index, and not to be had. */
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
}

/** @throws AppError `overloaded` where there is no room to read it: that says nothing of the site. */
async function fetchSitemap(reader: SitemapReader, url: string, patience: Patience): Promise<Sitemap | null> {
  const { lease, tasks, owner, headers, timeoutMs, signal } = reader;
  const request = { url, maxRedirects: 5, maxBodyBytes: maxSitemapBytes, headers, timeoutMs, signal };
  const answer = await askPatiently(lease, request, patience).catch(() => null);
  signal.throwIfAborted();
  if (answer?.status !== 200) return null;
  const { body, headers: answered } = answer;
  const task = { body, contentType: answered['content-type'] ?? '', url, maxEntries };
  const read = () => tasks.run(readSitemapTask, task, { signal, owner });
  return await onceThereIsRoom(read, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (isOverloaded(error)) throw error;
    return null;
  });
}

/**
 * Reads sitemaps and the indexes that name more of them, until `maxUrls` wanted pages are known.
 * @param guessed where one may be that nobody has named: each is asked for where there is none at the one before.
 * @throws AppError `overloaded` where there is no room to read one.
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
  const breather = createBreather();
  const patience = new Patience(patienceMs);
  const index = (next: string): void => {
    if (known.size < maxSitemaps) known.add(next);
    else isCut ||= !known.has(next);
  };
  for (let asked = 0; asked < known.size && urls.size < maxUrls;) {
    const wave = [...known].slice(asked, asked + readAtOnce);
    asked += wave.length;
    const read = await Promise.all(wave.map((url) => fetchSitemap(reader, url, patience)));
    for (const [at, sitemap] of read.entries()) {
      const url = wave[at] ?? '';
      if (sitemap === null) {
        const next = guessed[guessed.indexOf(url) + 1];
        if (!guessed.includes(url) || named.includes(url)) missing.push(url);
        else if (next !== undefined) index(next);
        continue;
      }
      sitemaps.push(url);
      isCut ||= sitemap.isCut;
      for (const next of sitemap.indexed) index(next);
      for (const page of sitemap.pages) {
        if (breather.isDue()) await breather.rest();
        reader.signal.throwIfAborted();
        if (urls.has(page) || !wants(page)) continue;
        if (urls.size < maxUrls) urls.add(page);
        else isCut = true;
      }
    }
    isCut ||= urls.size >= maxUrls && asked < known.size;
  }
  return { sitemaps, urls: [...urls], isCut, missing };
}
