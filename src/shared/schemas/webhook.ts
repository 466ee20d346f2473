import { z } from 'zod';

const time = z.iso.datetime();

export const webhookStatuses = ['pending', 'delivered', 'failed', 'stopped'] as const;

export const webhookSecret = z.object({
  secret: z.string().describe('`whsec_` and base64, as libraries of Standard Webhooks take it.'),
  createdAt: time,
  previous: z
    .array(
      z.object({ secret: z.string(), retiresAt: time.describe('Until then its signature is sent too.') }),
    )
    .describe('Those that were replaced in the last 24 hours.'),
});

/** One message, and all that came of it. */
export const webhookDelivery = z
  .object({
    id: z.uuid().describe('The `webhook-id` of each try.'),
    jobId: z.uuid().nullable().describe('Null of a test.'),
    type: z.string().describe('`job.succeeded`, `job.failed`, `job.canceled` or `webhook.test`.'),
    url: z.string(),
    status: z
      .enum(webhookStatuses)
      .describe(
        '`failed`: a day of tries is over, or more than 100,000 of your messages waited and this was the oldest; `stopped`: the receiver has answered 410.',
      ),
    createdAt: time,
    nextAttemptAt: time.nullable().describe('Null unless it is pending.'),
    attempts: z
      .array(
        z.object({
          at: time,
          status: z.int().nullable().describe('Of the answer; null where there was none.'),
          error: z
            .string()
            .nullable()
            .describe(
              'Why there was none, as a code; null while it is awaited. `interrupted`: our process has died meanwhile, and nobody knows whether the receiver has got it. `too_many_pending`: nothing was sent; the message was given up for newer ones.',
            ),
          answer: z.string().nullable().describe('The first 500 bytes of the answer.'),
          ms: z.int().nullable(),
        }),
      )
      .describe('Oldest first.'),
  })
  .meta({ id: 'WebhookDelivery' });
