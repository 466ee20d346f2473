import { testWebhook } from '../../../shared/contracts/webhooks/test.ts';
import { insertDelivery } from '../../../shared/db/webhook-deliveries.ts';
import { createId } from '../../../shared/ids.ts';
import { createJobWebhook } from '../../../shared/jobs/webhook.ts';
import { defineHandler } from '../../handler.ts';
import { presentDelivery } from '../../webhooks/present.ts';

export default defineHandler(testWebhook, async ({ input, principal, deps, origin }) => {
  const row = await insertDelivery(deps.db, {
    ...createJobWebhook(deps.egress.check(input.url), origin),
    id: createId(),
    user_id: principal.userId,
    job_id: null,
    type: 'webhook.test',
  });
  return { delivery: presentDelivery(row) };
});
