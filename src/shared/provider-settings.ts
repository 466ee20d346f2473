import { z } from 'zod';
import { suggestUrls } from './seo-settings.ts';

/** One variable of a group. Where the schema takes `undefined` (an optional or a default), it may be left out. */
interface Setting<Schema extends z.ZodType = z.ZodType> {
  variable: string;
  schema: Schema;
}

type Settings = Readonly<Record<string, Setting>>;

type ValuesOf<Group extends Settings> = { readonly [Name in keyof Group]: z.output<Group[Name]['schema']> };

const setting = <Schema extends z.ZodType>(variable: string, schema: Schema): Setting<Schema> => ({
  variable,
  schema,
});

const text = z.string().min(1);

/** The address of a provider. Its host is reached even where it is private, by leases that are bound to it. */
const baseUrl = z
  .string()
  .refine((url) => /^https?:\/\//.test(url) && URL.canParse(url), 'must be an http(s) URL')
  .transform((url) => new URL(url));

/**
 * The settings of each provider: all of a group are there, or the group is null and what needs it answers
 * `not_configured`. A provider is added here, and its variables to the README's table.
 */
const providers = {
  dataForSeo: {
    login: setting('DATAFORSEO_LOGIN', text),
    password: setting('DATAFORSEO_PASSWORD', text),
    url: setting('DATAFORSEO_URL', baseUrl.prefault('https://api.dataforseo.com')),
  },
  searxng: { url: setting('SEARXNG_URL', baseUrl) },
  suggest: { engines: setting('SUGGEST_URLS', suggestUrls) },
  youtube: {
    url: setting('YOUTUBE_URL', baseUrl.prefault('https://www.youtube.com')),
    cookies: setting('YOUTUBE_COOKIES', text.optional()),
    poToken: setting('YOUTUBE_PO_TOKEN', text.optional()),
  },
  peertube: {
    searchUrl: setting('PEERTUBE_SEARCH_URL', baseUrl.prefault('https://sepiasearch.org')),
  },
  /** Where files are kept; null: in Postgres. */
  s3: {
    endpoint: setting('S3_ENDPOINT', baseUrl),
    bucket: setting(
      'S3_BUCKET',
      z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket'),
    ),
    region: setting('S3_REGION', text.default('us-east-1')),
    accessKeyId: setting('S3_ACCESS_KEY_ID', text),
    secretAccessKey: setting('S3_SECRET_ACCESS_KEY', text),
  },
} satisfies Record<string, Settings>;

export const providerVariables: readonly string[] = Object.values(providers).flatMap((group: Settings) =>
  Object.values(group).map(({ variable }) => variable),
);

export type ProviderSettings = {
  readonly [Name in keyof typeof providers]: ValuesOf<(typeof providers)[Name]> | null;
};

const isRequired = ({ schema }: Setting) => !schema.safeParse(undefined).success;
const namesOf = (settings: readonly Setting[]) => settings.map(({ variable }) => variable).join(', ');

/** @param problems gets what is wrong, in words that name the variable and the mend. */
function readGroup(group: Settings, env: NodeJS.ProcessEnv, problems: string[]): object | null {
  const all = Object.values(group);
  const set = all.filter(({ variable }) => (env[variable] ?? '') !== '');
  if (set.length === 0 && all.some(isRequired)) return null;
  const missing = all.filter((one) => isRequired(one) && !set.includes(one));
  if (missing.length > 0) {
    const [are, them] = missing.length === 1 ? ['is', 'it'] : ['are', 'them'];
    problems.push(
      `${namesOf(missing)} ${are} missing, and ${namesOf(set)} ${set.length === 1 ? 'is' : 'are'} of no use without ${them}. ` +
        `Set ${them}, or leave all of ${namesOf(all)} unset.`,
    );
    return null;
  }
  const values = Object.entries(group).map(([name, { variable, schema }]) => {
    const result = schema.safeParse(env[variable] === '' ? undefined : env[variable]);
    if (!result.success) problems.push(...result.error.issues.map(({ message }) => `${variable} ${message}`));
    return [name, result.data] as const;
  });
  return Object.freeze(Object.fromEntries(values));
}

/** @returns the settings, and what is wrong with them. */
export function readProviders(env: NodeJS.ProcessEnv): { settings: ProviderSettings; problems: string[] } {
  const problems: string[] = [];
  const groups = Object.entries(providers).map(([name, group]) => [name, readGroup(group, env, problems)]);
  return { settings: Object.freeze(Object.fromEntries(groups)) as ProviderSettings, problems };
}

/** `host:port` of every base URL in the settings, for the egress door. */
export function providerHosts(settings: ProviderSettings): string[] {
  const values = Object.values(settings).flatMap((group) => Object.values(group ?? {}) as unknown[]);
  return values
    .flat()
    .map((value) => (value instanceof Object && 'url' in value ? value.url : value))
    .filter((value) => value instanceof URL)
    .map(({ hostname, port, protocol }) => `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`);
}
