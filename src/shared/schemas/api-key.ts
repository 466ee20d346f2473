import { z } from 'zod';
import { parseAddressRange } from '../address-range.ts';
import { boundedRecord } from './bounded-record.ts';

const time = z.iso.datetime();
const count = z.int().min(0);

export const keyId = z
  .string()
  .describe('Id of one of your keys.')
  .meta({ examples: ['0197f3c2-8d3a-7c41-b6f2-2f3f1d0a9e55'] });

const metadataValue = z.union([z.string().max(500), z.number(), z.boolean(), z.null()]);

const mostNotes = 20;

const keyStatuses = ['active', 'grace', 'revoked', 'expired'] as const;

/** What every answer about a key has. */
export const keyFields = {
  id: z.uuid(),
  name: z.string(),
  prefix: z.string().describe('Always `svc_live`.'),
  rateLimit: z.int().min(1).describe('Requests in any 3,600 s; comes from the license.'),
  isActive: z.boolean().describe('Whether the key is accepted: true while active or in its grace period.'),
  lastUsedAt: time.nullable().describe('Time of the last counted request; some seconds behind.'),
  usageCount: count.describe('Counted requests since the key was made; some seconds behind.'),
  expiresAt: time.nullable(),
  createdAt: time,
  status: z
    .enum(keyStatuses)
    .describe('`grace`: rotated and still accepted; `expired`: past its expiry or its grace period.'),
  scopes: z.array(z.string()).nullable().describe('What the key may be used for; null means everything.'),
  allowedAddresses: z
    .array(z.string())
    .nullable()
    .describe('Addresses from which the key is accepted; null means any.'),
  metadata: z.record(z.string(), metadataValue).nullable().describe('Your own notes.'),
};

export const keyName = z
  .string()
  .min(1)
  .max(100)
  .regex(/\S/, 'A name of spaces only tells nothing')
  .trim()
  .describe('A name to tell your keys apart.')
  .meta({ examples: ['Production'] });

/** What a key may do, as its owner sets it. */
export const keyRights = {
  scopes: z
    .array(
      z
        .string()
        .regex(/^[a-z]+(\.[a-z0-9-]+)?$/, 'must be an area such as `video`, or the id of an operation')
        .meta({ examples: ['video', 'web.scrape'] }),
    )
    .min(1)
    .max(50)
    .nullable()
    .optional()
    .describe(
      'Areas (`web`, `video`, `jobs`, `webhooks`) or ids of operations that the key may be used for; null means all.',
    )
    .meta({ examples: [['video', 'jobs']] }),
  allowedAddresses: z
    .array(
      z
        .string()
        .max(50)
        .refine(
          (text) => parseAddressRange(text) !== null,
          'must be an address or a CIDR range, e.g. 203.0.113.0/24',
        )
        .meta({ examples: ['203.0.113.0/24', '2001:db8::7'] }),
    )
    .min(1)
    .max(50)
    .nullable()
    .optional()
    .describe('Addresses or CIDR ranges from which the key is accepted; null means any.')
    .meta({ examples: [['203.0.113.0/24']] }),
  metadata: boundedRecord(
    mostNotes,
    'notes',
    z
      .record(z.string().min(1).max(40), metadataValue)
      .meta({ maxProperties: mostNotes })
      .nullable()
      // zod does not tell the examples of what it has transformed.
      .meta({ examples: [{ team: 'search' }] }),
  )
    .optional()
    .describe('Your own notes, at most 20.'),
};

export const keyPreviewField = z
  .string()
  .describe('Always `svc_live...****`: no part of the secret is stored.');
export const keySecret = z.string().describe('The whole key. Shown only in this answer: keep it now.');
