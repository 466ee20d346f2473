import type { WebhookDeliveryRow } from '../../shared/db/tables.ts';
import type { WebhookSecret } from './secrets.ts';

export function presentDelivery(row: WebhookDeliveryRow) {
  return {
    id: row.id,
    jobId: row.job_id,
    type: row.type,
    url: row.url,
    status: row.status,
    createdAt: row.created_at.toISOString(),
    nextAttemptAt: row.status === 'pending' ? row.next_attempt_at.toISOString() : null,
    attempts: row.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() })),
  };
}

export function presentSecrets([current, ...previous]: readonly [WebhookSecret, ...WebhookSecret[]]) {
  return {
    secret: current.secret,
    createdAt: current.createdAt.toISOString(),
    previous: previous.flatMap(({ secret, retiresAt }) =>
      retiresAt === null ? [] : [{ secret, retiresAt: retiresAt.toISOString() }],
    ),
  };
}
