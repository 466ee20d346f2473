import { z } from 'zod';

const time = z.iso.datetime();

export const license = z.object({
  plan: z.string(),
  rateLimit: z.int().describe('Requests of one key in any 3,600 s.'),
  userRateLimit: z
    .int()
    .describe('Requests of all keys of the user together in any 3,600 s, including deleted keys.'),
  maxConcurrentJobs: z.int(),
  maxKeys: z.int().describe('Active keys; revoked, expired and rotated ones do not count.'),
  maxTokensPerDay: z.int().nullable().describe('Tokens of models per UTC day; null means no limit.'),
  validFrom: time,
  validUntil: time.nullable().describe('Null means that it does not end.'),
  revokedAt: time.nullable(),
});
