import { AppError } from '../../shared/errors.ts';
import { z } from 'zod';
import type { KeywordQuery } from './provider.ts';
import { type Ask, failed, readJson, retryAfterOf, type Upstream, UpstreamBlocked } from './upstream.ts';

export interface SearchResult {
  url: string;
  title: string;
}

const answer = z.object({
  results: z.array(z.object({ url: z.string().nullish(), title: z.string().nullish() })),
  unresponsive_engines: z.array(z.tuple([z.string(), z.string()]).rest(z.unknown())).default([]),
});

/**
 * The first results for a keyword, by SearXNG's search API (`/search?format=json`).
 * @throws AppError `upstream_failed` naming the engines where none of them answered.
 */
export async function search(
  baseUrl: URL,
  { keyword, country, language }: KeywordQuery,
  ask: Ask,
): Promise<{ results: SearchResult[]; asOf: string; unresponsive: string[] }> {
  const upstream: Upstream = { name: 'SearXNG', host: baseUrl.host, delayMs: 0 };
  const asked = new URLSearchParams({
    q: keyword,
    format: 'json',
    language: `${language}-${country}`,
    categories: 'general',
  });
  const url = `${baseUrl.href.replace(/\/+$/, '')}/search?${asked.toString()}`;
  const { text, asOf } = await ask(upstream, { url }, (body) => /"results":\s*\[\s*\{/.test(body)).catch(
    (error: unknown) => {
      if (!(error instanceof UpstreamBlocked)) throw error;
      const hint = error.message.includes('403')
        ? ' Allow `json` among `search.formats` of its settings.'
        : ' Its limiter may have to let us through.';
      throw new AppError('upstream_failed', `${error.message}.${hint}`, retryAfterOf(error));
    },
  );
  const read = answer.safeParse(readJson(upstream, text));
  if (!read.success) throw failed(upstream, 'answered no list of results');
  const { results, unresponsive_engines: engines } = read.data;
  const unresponsive = engines.map(([name, reason]) => `${name} (${reason})`);
  if (results.length === 0 && unresponsive.length > 0)
    throw failed(upstream, `found nothing, because its engines did not answer: ${unresponsive.join(', ')}`);
  return {
    results: results.flatMap(({ url: found, title }) =>
      found != null && /^https?:/i.test(found) && URL.canParse(found)
        ? { url: found, title: title ?? '' }
        : [],
    ),
    asOf,
    unresponsive,
  };
}
