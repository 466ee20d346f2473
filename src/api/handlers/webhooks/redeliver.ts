import { redeliverWebhook } from '../../../shared/contracts/webhooks/redeliver.ts';
import { findDelivery, mostAttempts, redeliver } from '../../../shared/db/webhook-deliveries.ts';
import { AppError } from '../../../shared/errors.ts';
import { isId } from '../../../shared/ids.ts';
import { defineHandler } from '../../handler.ts';
import { presentDelivery } from '../../webhooks/present.ts';

export default defineHandler(redeliverWebhook, async ({ input: { id }, principal, deps: { db } }) => {
  const owned = { id, userId: principal.userId };
  const row = isId(id) ? ((await redeliver(db, owned)) ?? (await findDelivery(db, owned))) : undefined;
  if (row === undefined) {
    throw new AppError(
      'not_found',
      'You have no delivery with this id. GET /api/webhooks/deliveries lists those of the last week.',
    );
  }
  if (row.attempts.length >= mostAttempts && row.claim_token === null) {
    throw new AppError(
      'forbidden',
      `This message was sent ${mostAttempts} times, and cannot be sent more often.`,
    );
  }
  return { delivery: presentDelivery(row) };
});
