import { z } from 'zod';

const time = z.iso.datetime();

export const license = z.object({
  plan: z.string(),
  rateLimit: z.int().describe('Requests in any 3,600 s, of each key.'),
  userRateLimit: z
    .int()
    .describe('Requests in any 3,600 s of all keys of the user together, deleted ones among them.'),
  maxConcurrentJobs: z.int(),
  maxKeys: z.int().describe('Active keys; revoked, expired and rotated ones do not count.'),
  maxTokensPerDay: z.int().nullable().describe('Tokens of models by UTC day; null: no bound.'),
  validFrom: time,
  validUntil: time.nullable().describe('Null: without end.'),
  revokedAt: time.nullable(),
});
