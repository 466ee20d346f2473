import { z } from 'zod';

export interface Plan {
  /** Requests in any 3,600 s, of each key. */
  rateLimit: number;
  /** Of all keys of the user together, those that were deleted since among them. */
  userRateLimit: number;
  maxConcurrentJobs: number;
  maxKeys: number;
  /** Of models, by UTC day; null for no bound. */
  maxTokensPerDay: number | null;
}

export interface EncryptionKey {
  version: number;
  key: Buffer;
}

export const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const listOf = (separator: string | RegExp) =>
  z.string().transform((text) =>
    text
      .split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
export const list = listOf(',');

/** A list that `parse` reads later; what it throws says what is wrong with it. */
export const readableList = (parse: (entries: readonly string[]) => unknown) =>
  list.default([]).superRefine((entries, context) => {
    try {
      parse(entries);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  });

export const flag = z
  .enum(['0', '1'])
  .default('0')
  .transform((text) => text === '1');

export const secret = z
  .string({ error: 'is missing. Set it to at least 32 random characters (`openssl rand -base64 32`)' })
  .min(32, 'is too short. Use at least 32 random characters (`openssl rand -base64 32`)');

export const encryptionKeys = z
  .string({
    error: 'is missing. Set it to `1:<base64 of 32 random bytes>` (`echo 1:$(openssl rand -base64 32)`)',
  })
  .transform((text, context): EncryptionKey[] => {
    const keys: EncryptionKey[] = [];
    for (const part of text.split(',')) {
      const match = /^(\d{1,9}):([A-Za-z0-9+/_-]+=*)$/.exec(part.trim());
      const key = match?.[2] === undefined ? null : Buffer.from(match[2], 'base64');
      if (match?.[1] === undefined || key?.length !== 32) {
        context.addIssue({
          code: 'custom',
          message:
            'must be `version:base64` entries of 32 bytes each, separated by commas: the first encrypts, all decrypt',
        });
        return z.NEVER;
      }
      keys.push({ version: Number(match[1]), key });
    }
    if (new Set(keys.map((key) => key.version)).size !== keys.length) {
      context.addIssue({ code: 'custom', message: 'names the same version twice' });
      return z.NEVER;
    }
    return keys;
  });

/** Postgres' greatest integer. */
const greatestLimit = 2_147_483_647;

const plan = z
  .strictObject({
    rateLimit: z.int().min(1).max(1_000_000),
    userRateLimit: z.int().min(1).max(greatestLimit).optional(),
    maxConcurrentJobs: z.int().min(1).max(10_000),
    maxKeys: z.int().min(1).max(10_000),
    maxTokensPerDay: z.int().min(0).max(1_000_000_000_000).nullable().default(null),
  })
  .transform((terms): Plan => ({
    ...terms,
    userRateLimit: terms.userRateLimit ?? Math.min(terms.rateLimit * terms.maxKeys, greatestLimit),
  }));

export const defaultPlans: Record<string, Plan> = {
  free: plan.parse({ rateLimit: 100, maxConcurrentJobs: 2, maxKeys: 2, maxTokensPerDay: 200_000 }),
  pro: plan.parse({ rateLimit: 1_000, maxConcurrentJobs: 10, maxKeys: 10, maxTokensPerDay: 5_000_000 }),
  scale: plan.parse({ rateLimit: 10_000, maxConcurrentJobs: 50, maxKeys: 50, maxTokensPerDay: null }),
};

/** PLANS: plans by name. */
export const plans = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON, e.g. {"free":{"rateLimit":100,…}}' });
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string().min(1), plan));

const missingUrl = (variable: string, example: string) =>
  `is missing. Set it, e.g. ${variable}=${example}, or use \`npm start\`, which brings its own`;

export const hasProtocol = (text: string, protocols: readonly string[]) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol);

const databaseExample = 'postgres://user:pw@127.0.0.1:5432/quarry';
export const databaseUrl = z
  .string({ error: missingUrl('DATABASE_URL', databaseExample) })
  .refine((text) => hasProtocol(text, ['postgres:', 'postgresql:']), {
    message: `is not a postgres: or postgresql: URL. Example: ${databaseExample}`,
  });

const isRedisUrl = (text: string) =>
  hasProtocol(text, ['redis:', 'rediss:']) && !new URL(text).host.includes(',');

const redisExample = 'redis://127.0.0.1:6379';
export const redisUrls = z
  .string({ error: missingUrl('REDIS_URL', redisExample) })
  // A comma may stand in a password.
  .pipe(listOf(/,(?=\s*(?:rediss?:|$))/))
  .refine((urls) => urls.length > 0 && urls.every(isRedisUrl), {
    message: `is not a redis: or rediss: URL, or several of a Redis Cluster, separated by commas. Example: ${redisExample}`,
  });
