import { z } from 'zod';

const time = z.iso.datetime();
const count = z.int().min(0);

export const keyId = z
  .string()
  .describe('Id of one of your own keys.')
  .meta({ examples: ['0197f3c2-8d3a-7c41-b6f2-2f3f1d0a9e55'] });

const keyStatuses = ['active', 'grace', 'revoked', 'expired'] as const;

/** What every answer about a key has. */
export const keyFields = {
  id: z.uuid(),
  name: z.string(),
  prefix: z.string().describe('Always `svc_live`.'),
  rateLimit: z.int().min(1).describe('Requests in any 3,600 s; comes from the license.'),
  isActive: z.boolean().describe('Whether the key is accepted: true while active or in its grace period.'),
  lastUsedAt: time.nullable().describe('Of the last counted request; some seconds behind.'),
  usageCount: count.describe('Counted requests since the key was made; some seconds behind.'),
  expiresAt: time.nullable(),
  createdAt: time,
  status: z
    .enum(keyStatuses)
    .describe('`grace`: rotated, and still accepted; `expired`: also after the grace period.'),
};

export const keyPreviewField = z
  .string()
  .describe('Always `svc_live...****`: nothing of the secret is kept.');
export const keySecret = z.string().describe('The whole key. Shown only in this answer: keep it now.');
