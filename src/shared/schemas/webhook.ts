import { z } from 'zod';

const time = z.iso.datetime();

export const webhookStatuses = ['pending', 'delivered', 'failed', 'stopped'] as const;

export const webhookSecret = z.object({
  secret: z.string().describe('`whsec_` and base64, as libraries for Standard Webhooks expect it.'),
  createdAt: time,
  previous: z
    .array(
      z.object({
        secret: z.string(),
        retiresAt: time.describe('Until then messages carry its signature too.'),
      }),
    )
    .describe('Secrets that were replaced in the last 24 hours.'),
});

/** One message, and all that came of it. */
export const webhookDelivery = z
  .object({
    id: z.uuid().describe('The `webhook-id` of every attempt.'),
    jobId: z.uuid().nullable().describe('Null for a test.'),
    type: z.string().describe('`job.succeeded`, `job.failed`, `job.canceled` or `webhook.test`.'),
    url: z.string(),
    status: z
      .enum(webhookStatuses)
      .describe(
        '`failed`: it was tried for a day, or more than 100,000 of your messages were waiting and this was the oldest; `stopped`: the receiver answered 410.',
      ),
    createdAt: time,
    nextAttemptAt: time.nullable().describe('Null unless it is pending.'),
    attempts: z
      .array(
        z.object({
          at: time,
          status: z.int().nullable().describe('Status of the answer; null if there was none.'),
          error: z
            .string()
            .nullable()
            .describe(
              'Why there was no answer, as a code; null while it is awaited. `interrupted`: our process died meanwhile, and it is not known whether the receiver got the message. `too_many_pending`: nothing was sent; the message was given up in favour of newer ones.',
            ),
          answer: z
            .string()
            .nullable()
            .describe('The first 500 bytes of the answer, of the last ten attempts.'),
          ms: z.int().nullable(),
        }),
      )
      .describe('Oldest first.'),
  })
  .meta({ id: 'WebhookDelivery' });
