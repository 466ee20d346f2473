import { z } from 'zod';

const seq = z.int().min(0);

export const feedQuery = z.strictObject({
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the seq of a message, or 0 for all that are kept')
    .transform(Number)
    .optional(),
});

/** What a client says on a WebSocket. */
export const feedCommand = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auth'), key: z.string().max(200) }),
  z.strictObject({
    type: z.literal('subscribe'),
    jobId: z.uuid().toLowerCase().optional(),
    after: seq.optional(),
  }),
]);
export type FeedCommand = z.output<typeof feedCommand>;
