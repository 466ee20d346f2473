import { resolve } from 'node:path';
import { z } from 'zod';
import { parseAddressRange } from './address-range.ts';
import {
  databaseUrl,
  defaultPlans,
  type EncryptionKey,
  encryptionKeys,
  flag,
  hasProtocol,
  list,
  plans,
  readableList,
  redisUrls,
  secret,
  whole,
} from './config-values.ts';
import type { AiSettings } from './ai/ai-settings.ts';
import { aiVariables, readAiSettings } from './ai/read-ai-settings.ts';
import { parseAllowList } from './egress/allow-list.ts';
import { parseUpstreamProxies } from './egress/upstream-proxies.ts';
import { deriveJobInputKeys } from './keys/job-input-keys.ts';
import type { QueueName } from './operation.ts';
import { providerVariables, type ProviderSettings, readProviders } from './provider-settings.ts';
import { seoEnvironment } from './seo-settings.ts';
import { tracingEnvironment } from './tracing-settings.ts';

/** One problem of the environment, in words that name the variable and the mend. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Where Redis is: one server, or nodes of a Redis Cluster. */
export interface RedisNodes {
  urls: readonly string[];
  isCluster: boolean;
}

const videoEngineNames = ['native', 'yt-dlp'] as const;

/** The programs that read videos. */
const videoSettings = {
  FFMPEG_PATH: z.string().min(1).optional(),
  YTDLP_PATH: z.string().min(1).optional(),
  VIDEO_ENGINES: list.default([...videoEngineNames]).pipe(
    z
      .array(z.enum(videoEngineNames), {
        error: `must be ${videoEngineNames.join(' and ')} in the order in which they are asked, separated by commas`,
      })
      .min(1),
  ),
};

const environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: whole(0, 65_535).optional(),
  /** Several API processes on one PORT; the next one is started before the last one is stopped. */
  REUSE_PORT: flag,
  DATABASE_URL: databaseUrl,
  DATABASE_POOL: whole(2, 200).default(12),
  REDIS_URL: redisUrls,
  /** 1: REDIS_URL names a node of a Redis Cluster. Several URLs say so by themselves. */
  REDIS_CLUSTER: flag,
  PUBLIC_URL: z
    .string()
    .refine(
      (text) => hasProtocol(text, ['http:', 'https:']) && new URL(text).href === `${new URL(text).origin}/`,
      'must be an http(s) URL without a path: Quarry answers at the root of a host, e.g. https://quarry.example.com',
    )
    .transform((text) => new URL(text).origin)
    .optional(),
  TRUSTED_PROXIES: list
    .default([])
    .refine((entries) => entries.every((entry) => parseAddressRange(entry) !== null), {
      message: 'must be addresses or CIDR ranges, e.g. 127.0.0.1, 10.0.0.0/8, fd00::/8, separated by commas',
    }),
  /** Who sends it as a bearer token reads /metrics; without it only this machine does. */
  METRICS_TOKEN: z.string().min(16, 'is too short. Use at least 16 random characters').optional(),
  SIGNUP: z.enum(['open', 'closed']).default('closed'),
  KEY_ENCRYPTION_KEYS: encryptionKeys,
  /** Seal what jobs were given for their targets; default: made of KEY_ENCRYPTION_KEYS. */
  JOB_INPUT_KEYS: encryptionKeys.optional(),
  SESSION_SECRET: secret,
  LINK_SECRET: secret,
  CHROME_PATH: z.string().min(1).optional(),
  /** Where the bundled Chromium is unpacked and fonts are made ready; services of one machine may share it. */
  BROWSER_FOLDER: z.string().min(1).optional(),
  BROWSER_SANDBOX: z.enum(['require', 'auto', 'off']).default('auto'),
  QUARRY_HOME: z.string().min(1).optional(),
  EGRESS_ALLOW: readableList(parseAllowList),
  EGRESS_PROXY: readableList(parseUpstreamProxies),
  PLANS: plans.default(defaultPlans),
  RESULT_TTL_HOURS: whole(1, 24 * 365).default(168),
  /** How far back a feed can be taken up again; webhooks are tried for 24 h. */
  EVENT_TTL_HOURS: whole(24, 24 * 365).default(72),
  /** How often an open feed is heard of, at least. */
  FEED_HEARTBEAT_MS: whole(100, 300_000).default(15_000),
  /** Between the attempts of a webhook; the last one counts up to a day after the first. */
  WEBHOOK_RETRY_SECONDS: list
    .default(['5', '30', '120', '600', '1800', '3600', '7200', '14400', '28800', '28800'])
    .transform((parts) => parts.map(Number))
    .refine((all) => all.length > 0 && all.every((seconds) => seconds >= 0.1 && seconds <= 86_400), {
      message: 'must be seconds between 0.1 and 86400, separated by commas, e.g. 5,30,120',
    }),
  /** Folders of further operations: `contracts`, their `handlers` in workers, their `api-handlers`. */
  EXTENSIONS: list.default([]).transform((folders) => folders.map((folder) => resolve(folder))),
  /** Bound of all cached pages together, compressed. */
  PAGE_CACHE_MB: whole(0, 1_000_000).default(256),
  /** Users are answered from each other's copies of public pages, and may find out by it that one was read. */
  PAGE_CACHE_SHARED: flag,
  /** Requests to one host at a time by all links maps together. */
  CRAWL_HOST_CONCURRENCY: whole(1, 64).default(8),
  QUEUE_BOUND: whole(1, 1_000_000).default(10_000),
  HTTP_CONCURRENCY: whole(1, 1_000).default(32),
  BROWSER_CONCURRENCY: whole(1, 64).default(4),
  /** Reviews that run beside each other slow each other down, and measure it. */
  REVIEW_CONCURRENCY: whole(1, 16).default(1),
  VIDEO_CONCURRENCY: whole(1, 64).default(4),
  AI_CONCURRENCY: whole(1, 1_000).default(8),
  SEO_CONCURRENCY: whole(1, 1_000).default(8),
  ...seoEnvironment,
  ...videoSettings,
  ...tracingEnvironment,
  PENDING_JOBS_PER_USER: whole(1, 1_000_000).default(1_000),
  JOB_LEASE_MS: whole(1_000, 60_000).default(5_000),
  /** Where the parts of the one-command start write: to files in its data folder, or to its terminal. */
  LOG_TO: z.enum(['files', 'stdout']).default('files'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  NODE_ENV: z.enum(['production', 'development', 'test']).default('production'),
  QUARRY_SUPERVISED: flag,
  /** The same for a worker process and the one that a supervisor starts in its place when it has died. */
  QUARRY_WORKER_ID: z.uuid().optional(),
});

export type Config = Readonly<z.output<typeof environment>> & {
  readonly redis: RedisNodes;
  /** Answers are checked against their contracts (tests and development). */
  readonly checkResponses: boolean;
  /** A code that is not declared by the contract of its operation is a fault (tests). */
  readonly checkErrors: boolean;
  readonly providers: ProviderSettings;
  readonly ai: AiSettings;
  readonly jobInputKeys: readonly EncryptionKey[];
};

/** What only the API and administration use: a worker that a page has broken out into cannot give it away. */
export const apiSecrets = ['KEY_ENCRYPTION_KEYS', 'SESSION_SECRET', 'LINK_SECRET', 'METRICS_TOKEN'] as const;

const workerEnvironment = environment.omit({
  KEY_ENCRYPTION_KEYS: true,
  SESSION_SECRET: true,
  LINK_SECRET: true,
  METRICS_TOKEN: true,
} satisfies Record<(typeof apiSecrets)[number], true>);

export type WorkerConfig = Omit<Config, (typeof apiSecrets)[number]>;

const jobInputEnvironment = z.object({ JOB_INPUT_KEYS: encryptionKeys });

const accountEnvironment = environment.pick({ KEY_ENCRYPTION_KEYS: true, JOB_INPUT_KEYS: true, PLANS: true });

/** What the making of users and keys depends on. */
export type AccountConfig = Readonly<z.output<typeof accountEnvironment>>;

function read<Schema extends z.ZodType>(
  schema: Schema,
  env: NodeJS.ProcessEnv,
  otherProblems: readonly string[] = [],
): z.output<Schema> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = schema.safeParse(present);
  if (result.success && otherProblems.length === 0) return result.data;
  const problems = result.error?.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) ?? [];
  throw new ConfigError([...problems, ...otherProblems]);
}

/** Every variable that is read, with the value that holds where it is not set; undefined where there is none. */
export function listVariables(): Map<string, unknown> {
  const own = Object.entries(environment.shape).map(
    ([name, schema]: [string, z.ZodType]) => [name, schema.safeParse(undefined).data] as const,
  );
  return new Map<string, unknown>([
    ...own,
    ...[...aiVariables, ...providerVariables].map((name) => [name, undefined] as const),
  ]);
}

const nodesOf = ({
  REDIS_URL: urls,
  REDIS_CLUSTER,
}: Pick<Config, 'REDIS_URL' | 'REDIS_CLUSTER'>): RedisNodes => ({
  urls,
  isCluster: REDIS_CLUSTER || urls.length > 1,
});

const noModels: AiSettings = readAiSettings({});

/** @param problems gets what is wrong. */
function readModels(env: NodeJS.ProcessEnv, problems: string[]): AiSettings {
  try {
    return readAiSettings(env);
  } catch (error) {
    problems.push(`AI_MODELS ${(error as Error).message}`);
    return noModels;
  }
}

/** @throws ConfigError where `SEO_PROVIDERS` chooses a vendor that there is no account for. */
function requireAccounts({ SEO_PROVIDERS, providers }: Pick<Config, 'SEO_PROVIDERS' | 'providers'>): void {
  if (providers.dataForSeo !== null || !Object.values(SEO_PROVIDERS).includes('dataforseo')) return;
  throw new ConfigError([
    'DATAFORSEO_LOGIN and DATAFORSEO_PASSWORD are missing, and SEO_PROVIDERS chooses dataforseo. ' +
      'Set them, or leave SEO_PROVIDERS unset.',
  ]);
}

/** What an API and a worker read alike. */
function readShared<Settings extends z.output<typeof workerEnvironment>>(
  schema: z.ZodType<Settings>,
  env: NodeJS.ProcessEnv,
) {
  const { settings: providers, problems } = readProviders(env);
  const ai = readModels(env, problems);
  const config = read(schema, env, problems);
  return {
    ...config,
    redis: nodesOf(config),
    checkResponses: config.NODE_ENV !== 'production',
    checkErrors: config.NODE_ENV === 'test',
    providers,
    ai,
  };
}

/**
 * The one reader of the environment.
 * @throws ConfigError naming every variable that is missing or wrong, and how to mend it.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const config = readShared(environment, env);
  requireAccounts(config);
  const jobInputKeys = config.JOB_INPUT_KEYS ?? deriveJobInputKeys(config.KEY_ENCRYPTION_KEYS);
  return Object.freeze({ ...config, jobInputKeys });
}

/**
 * Those that a worker has by itself: JOB_INPUT_KEYS or, where it shares the environment of the API, what is made of
 * KEY_ENCRYPTION_KEYS.
 */
function readJobInputKeys(env: NodeJS.ProcessEnv): readonly EncryptionKey[] {
  if (env['JOB_INPUT_KEYS']) return read(jobInputEnvironment, env).JOB_INPUT_KEYS;
  if (env['KEY_ENCRYPTION_KEYS'])
    return deriveJobInputKeys(read(accountEnvironment, env).KEY_ENCRYPTION_KEYS);
  throw new ConfigError([
    'JOB_INPUT_KEYS is missing. Set it to what `npm run -s admin -- keys job-input` prints where the API runs',
  ]);
}

/**
 * As `readConfig`, for a worker, which needs none of the `apiSecrets`.
 * @param queues that it serves: accounts of vendors are needed where it is `seo` only.
 */
export function readWorkerConfig(
  queues: readonly QueueName[] = [],
  env: NodeJS.ProcessEnv = process.env,
): WorkerConfig {
  const config = readShared(workerEnvironment, env);
  if (queues.includes('seo')) requireAccounts(config);
  return Object.freeze({ ...config, jobInputKeys: readJobInputKeys(env) });
}

/**
 * As `readConfig`, for administration, which needs no servers but the database that it is given, and
 * KEY_ENCRYPTION_KEYS in some commands only: that they are missing is told where they are asked for.
 */
export function readAccountConfig(env: NodeJS.ProcessEnv): AccountConfig {
  return Object.freeze({
    ...read(accountEnvironment.omit({ KEY_ENCRYPTION_KEYS: true }), env),
    get KEY_ENCRYPTION_KEYS() {
      return read(accountEnvironment, env).KEY_ENCRYPTION_KEYS;
    },
  });
}

/** As `readConfig`, for the migrations. */
export function readDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return read(environment.pick({ DATABASE_URL: true }), env).DATABASE_URL;
}
