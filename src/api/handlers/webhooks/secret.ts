import { webhookSecret } from '../../../shared/contracts/webhooks/secret.ts';
import { defineHandler } from '../../handler.ts';
import { presentSecrets } from '../../webhooks/present.ts';

export default defineHandler(webhookSecret, async ({ principal, deps }) =>
  presentSecrets(await deps.webhookSecrets.list(principal.userId)),
);
