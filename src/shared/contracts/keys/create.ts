import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyFields, keyName, keyPreviewField, keyRights, keySecret } from '../../schemas/api-key.ts';

const yearMs = 366 * 24 * 3_600_000;
const longestLifeMs = 2 * yearMs;
/** Made at the start, so that it lies in the future when it is read. */
const exampleOfExpiry = `${new Date(Date.now() + yearMs).toISOString().slice(0, 10)}T00:00:00Z`;

export const createKey = defineOperation({
  id: 'keys.create',
  summary: 'Create a key',
  description:
    'Needs a valid license. The answer is the only place where the key is ever shown. A user can make 300 keys an hour, or twice the number of keys in the plan, whichever is more.',
  route: { method: 'POST', path: '/api/keys' },
  access: ['session'],
  answer: 'bare',
  status: 201,
  input: z.strictObject({
    name: keyName,
    expiresAt: z.iso
      .datetime({ offset: true, abort: true })
      .refine((text) => Date.parse(text) > Date.now(), { error: 'must be in the future', abort: true })
      .refine((text) => Date.parse(text) <= Date.now() + longestLifeMs, 'must be at most 2 years ahead')
      .optional()
      .describe(
        'The key is refused from this moment on; at most 2 years ahead. Without it, the key does not expire.',
      )
      .meta({ examples: [exampleOfExpiry] }),
    ...keyRights,
  }),
  output: z.object({
    id: keyFields.id,
    key: keySecret,
    name: keyFields.name,
    message: z.string(),
    prefix: keyFields.prefix,
    keyPreview: keyPreviewField,
    rateLimit: keyFields.rateLimit,
    expiresAt: keyFields.expiresAt,
    createdAt: keyFields.createdAt,
    scopes: keyFields.scopes,
    allowedAddresses: keyFields.allowedAddresses,
    metadata: keyFields.metadata,
  }),
  errors: ['license_required', 'forbidden', 'too_many_attempts'],
});
