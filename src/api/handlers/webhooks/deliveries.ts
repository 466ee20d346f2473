import { webhookDeliveries } from '../../../shared/contracts/webhooks/deliveries.ts';
import { listDeliveries } from '../../../shared/db/webhook-deliveries.ts';
import { defineHandler } from '../../handler.ts';
import { presentDelivery } from '../../webhooks/present.ts';

export default defineHandler(webhookDeliveries, async ({ input, principal, deps }) => {
  const { status, jobId, limit, cursor } = input;
  const { userId } = principal;
  const rows = await listDeliveries(deps.db, { userId, status, jobId, limit: limit + 1, before: cursor });
  const page = rows.slice(0, limit);
  return {
    deliveries: page.map(presentDelivery),
    nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
});
