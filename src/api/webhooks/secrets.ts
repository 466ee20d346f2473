import { createHmac } from 'node:crypto';
import type { Actor } from '../../shared/db/audit-log.ts';
import type { Db } from '../../shared/db/client.ts';
import { listSigningSecrets, rotateWebhookSecret } from '../../shared/db/webhook-secrets.ts';

const graceHours = 24;

export interface WebhookSecret {
  /** `whsec_` and 32 bytes in base64. */
  secret: string;
  createdAt: Date;
  retiresAt: Date | null;
}

/** What signs the messages to a user's receivers. */
export interface WebhookSecrets {
  /** The current one first, then those that it has replaced in the last 24 h. The first call makes one. */
  list(userId: string): Promise<[WebhookSecret, ...WebhookSecret[]]>;
  rotate(userId: string, by: Actor): Promise<void>;
}

/**
 * Secrets are not stored but made of the operator's own secret and the id of their row: nobody who reads the database
 * can sign, and there is nothing to seal.
 */
export function createWebhookSecrets(db: Db, linkSecret: string): WebhookSecrets {
  const textOf = (id: string) =>
    `whsec_${createHmac('sha256', linkSecret).update(`webhook-secret:${id}`).digest('base64')}`;

  return {
    async list(userId) {
      const rows = await listSigningSecrets(db, userId);
      const [current, ...others] = rows.map((row) => ({
        secret: textOf(row.id),
        createdAt: row.created_at,
        retiresAt: row.retires_at,
      }));
      if (current === undefined) throw new Error(`The user ${userId} has no webhook secret`);
      return [current, ...others];
    },
    rotate: (userId, by) => rotateWebhookSecret(db, userId, graceHours, by),
  };
}
