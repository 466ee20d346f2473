import { z } from 'zod';

const seoEndpoints = ['backlinks', 'traffic', 'keyword-ideas', 'keyword-difficulty'] as const;
export type SeoEndpoint = (typeof seoEndpoints)[number];
const seoProviderNames = ['open', 'dataforseo'] as const;
export type SeoProviderName = (typeof seoProviderNames)[number];
export type SeoProviders = Record<SeoEndpoint, SeoProviderName>;

const isEndpoint = (text: string | undefined): text is SeoEndpoint =>
  seoEndpoints.some((one) => one === text);
const isProvider = (text: string | undefined): text is SeoProviderName =>
  seoProviderNames.some((one) => one === text);

/** `dataforseo` for all endpoints, or `backlinks=dataforseo, traffic=open`. */
const providers = z.string().transform((text, context): SeoProviders => {
  const chosen: SeoProviders = {
    backlinks: 'open',
    traffic: 'open',
    'keyword-ideas': 'open',
    'keyword-difficulty': 'open',
  };
  for (const part of text.split(',')) {
    const [left, right] = part.split('=').map((side) => side.trim());
    if (right === undefined && isProvider(left)) for (const endpoint of seoEndpoints) chosen[endpoint] = left;
    else if (isEndpoint(left) && isProvider(right)) chosen[left] = right;
    else {
      context.addIssue({
        code: 'custom',
        message: `must be ${seoProviderNames.join(' or ')}, or say it by endpoint (${seoEndpoints.join(', ')}), e.g. backlinks=dataforseo,traffic=open`,
      });
      return z.NEVER;
    }
  }
  return chosen;
});

/** The variables of SEO insights that no provider needs. */
export const seoEnvironment = {
  SEO_PROVIDERS: providers.prefault('open'),
  /** Pages that are read feed the index of links; `0`: none of them does. */
  LINK_INDEX: z
    .enum(['0', '1'])
    .default('1')
    .transform((text) => text === '1'),
  /** How often the domains of the link index are ranked anew. */
  SEO_AUTHORITY_HOURS: z.coerce.number().int().min(1).max(8_760).default(24),
};

const suggestEngineNames = ['google', 'bing', 'duckduckgo', 'wikipedia'] as const;
export type SuggestEngineName = (typeof suggestEngineNames)[number];

/** An engine that is asked for suggestions. */
export interface SuggestUrl {
  engine: SuggestEngineName;
  /** Its base URL, where `{language}` stands for the language asked for. */
  template: string;
  /** Null: its host depends on the language. */
  url: URL | null;
}

const defaultSuggestUrls =
  'google=https://suggestqueries.google.com,bing=https://api.bing.com,duckduckgo=https://duckduckgo.com,wikipedia=https://{language}.wikipedia.org';

/** `google=http://…, bing=http://…`: those that are named are asked, and no other. */
export const suggestUrls = z
  .string()
  .transform((text, context): SuggestUrl[] => {
    if (text.trim() === 'none') return [];
    return text.split(',').flatMap((part) => {
      const [, name, template = ''] = /^\s*(\w+)\s*=\s*(https?:\/\/\S+)\s*$/.exec(part) ?? [];
      const engine = suggestEngineNames.find((one) => one === name);
      if (engine !== undefined && URL.canParse(template.replaceAll('{language}', 'en')))
        return { engine, template, url: URL.parse(template) };
      const names = suggestEngineNames.join(', ');
      const message = `must be \`none\`, or the base URLs of engines (${names}), e.g. ${defaultSuggestUrls}`;
      context.addIssue({ code: 'custom', message });
      return [];
    });
  })
  .prefault(defaultSuggestUrls);
