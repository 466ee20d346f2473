import { z } from 'zod';
import type { SuggestEngineName, SuggestUrl } from '../../shared/seo-settings.ts';
import type { Ask, Upstream } from './upstream.ts';
import { readJson, UpstreamBlocked } from './upstream.ts';

interface Place {
  country: string;
  language: string;
}

const titles: Record<SuggestEngineName, string> = {
  google: 'Google suggest',
  bing: 'Bing suggest',
  duckduckgo: 'DuckDuckGo suggest',
  wikipedia: 'Wikipedia suggest',
};

/** Chinese by its script, which is that of the country; other languages as they are. */
export const languageTagOf = ({ country, language }: Place): string =>
  language !== 'zh' ? language : ['TW', 'HK', 'MO'].includes(country) ? 'zh-TW' : 'zh-CN';

/** Regions that DuckDuckGo names otherwise than by country and language. */
const duckRegions: Record<string, string> = {
  'gb-en': 'uk-en',
  'jp-ja': 'jp-jp',
  'kr-ko': 'kr-kr',
  'tw-zh': 'tw-tzh',
  'hk-zh': 'hk-tzh',
};

function duckRegionOf({ country, language }: Place): string {
  const region = `${country.toLowerCase()}-${language}`;
  return duckRegions[region] ?? region;
}

/** All answer in the form of OpenSearch suggestions: `[query, [suggestion, …], …]`. */
const paths: Record<SuggestEngineName, (query: string, place: Place) => string> = {
  google: (q, place) =>
    `/complete/search?${new URLSearchParams({ client: 'firefox', q, hl: languageTagOf(place), gl: place.country.toLowerCase() }).toString()}`,
  bing: (query, { country, language }) =>
    `/osjson.aspx?${new URLSearchParams({ query, mkt: `${language}-${country}` }).toString()}`,
  duckduckgo: (q, place) =>
    `/ac/?${new URLSearchParams({ q, type: 'list', kl: duckRegionOf(place) }).toString()}`,
  wikipedia: (search) =>
    `/w/api.php?${new URLSearchParams({ action: 'opensearch', format: 'json', namespace: '0', limit: '10', search }).toString()}`,
};

const suggestions = z.tuple([z.string(), z.array(z.string())]).rest(z.unknown());

export interface SuggestEngine {
  name: SuggestEngineName;
  upstream: Upstream;
  /** @returns in the engine's order. @throws UpstreamBlocked, AppError `upstream_failed`. */
  suggest(query: string): Promise<{ suggestions: string[]; asOf: string }>;
}

export const baseUrlOf = (template: string, language: string) =>
  template.replaceAll('{language}', language).replace(/\/+$/, '');

export function createSuggestEngines(urls: readonly SuggestUrl[], place: Place, ask: Ask): SuggestEngine[] {
  return urls.map(({ engine: name, template }) => {
    const base = baseUrlOf(template, place.language);
    const upstream: Upstream = { name: titles[name], host: new URL(base).host, delayMs: 100 };
    return {
      name,
      upstream,
      async suggest(query: string) {
        const url = base + paths[name](query, place);
        const { text, asOf } = await ask(upstream, { url }, (answer) => answer.trimStart().startsWith('['));
        // A page in place of the list asks whether one is human.
        if (text.trimStart().startsWith('<'))
          throw new UpstreamBlocked(upstream, 'answered a page in place of suggestions');
        const read = suggestions.safeParse(readJson(upstream, text));
        if (!read.success) throw new UpstreamBlocked(upstream, 'answered no list of suggestions');
        return { suggestions: read.data[1], asOf };
      },
    };
  });
}
