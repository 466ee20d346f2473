import type { EgressLease } from '../../shared/egress/types.ts';
import { defineTask, type TaskOptions, type TaskPool } from '../tasks/task.ts';
import type readSitemap from './parse-sitemap.ts';
import { maxSitemapBytes, type Sitemap } from './parse-sitemap.ts';

const maxSitemaps = 50;
const readAtOnce = 4;
const readSitemapTask = defineTask<typeof readSitemap>(new URL('./parse-sitemap.ts', import.meta.url));

export interface ReadSitemaps {
  /** Those that were there, in the order in which they were read. */
  sitemaps: string[];
  /** Pages that they name, each once. */
  urls: string[];
}

export interface SitemapReader {
  lease: Pick<EgressLease, 'fetch'>;
  tasks: TaskPool;
  owner: TaskOptions['owner'];
  headers: Record<string, string>;
  timeoutMs: number;
  signal: AbortSignal;
}

async function fetchSitemap(reader: SitemapReader, url: string, maxEntries: number): Promise<Sitemap | null> {
  const { lease, tasks, owner, headers, timeoutMs, signal } = reader;
  const request = { url, maxRedirects: 5, maxBodyBytes: maxSitemapBytes, headers, timeoutMs, signal };
  try {
    const { status, body, headers: answered } = await lease.fetch(request);
    if (status !== 200) return null;
    const contentType = answered['content-type'] ?? '';
    return await tasks.run(readSitemapTask, { body, contentType, url, maxEntries }, { signal, owner });
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** Reads sitemaps and the indexes that name more of them, until `maxUrls` pages are known. */
export async function readSitemaps(
  reader: SitemapReader,
  starts: readonly string[],
  maxUrls: number,
): Promise<ReadSitemaps> {
  const known = new Set(starts.slice(0, maxSitemaps));
  const sitemaps: string[] = [];
  const urls = new Set<string>();
  for (let asked = 0; asked < known.size && urls.size < maxUrls;) {
    const wave = [...known].slice(asked, asked + readAtOnce);
    asked += wave.length;
    const read = await Promise.all(wave.map((url) => fetchSitemap(reader, url, maxUrls)));
    for (const [index, sitemap] of read.entries()) {
      if (sitemap === null) continue;
      sitemaps.push(wave[index] ?? '');
      for (const next of sitemap.indexed) if (known.size < maxSitemaps) known.add(next);
      for (const page of sitemap.pages) if (urls.size < maxUrls) urls.add(page);
    }
  }
  return { sitemaps, urls: [...urls] };
}
