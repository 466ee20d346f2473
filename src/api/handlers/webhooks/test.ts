import { testWebhook } from '../../../shared/contracts/webhooks/test.ts';
import { insertTest, testsPerHour } from '../../../shared/db/webhook-deliveries.ts';
import { AppError } from '../../../shared/errors.ts';
import { createId } from '../../../shared/ids.ts';
import { createJobWebhook } from '../../../shared/jobs/webhook.ts';
import { defineHandler } from '../../handler.ts';
import { presentDelivery } from '../../webhooks/present.ts';

export default defineHandler(testWebhook, async ({ input, principal, deps, origin }) => {
  const row = await insertTest(deps.db, {
    ...createJobWebhook(deps.egress.check(input.url), origin),
    id: createId(),
    user_id: principal.userId,
    job_id: null,
    type: 'webhook.test',
  });
  if (row === undefined) {
    throw new AppError(
      'rate_limited',
      `You have sent ${testsPerHour} tests within the hour. Wait for a while.`,
      {
        retryAfterSeconds: 60,
      },
    );
  }
  return { delivery: presentDelivery(row) };
});
