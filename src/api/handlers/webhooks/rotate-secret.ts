import { rotateWebhookSecret } from '../../../shared/contracts/webhooks/rotate-secret.ts';
import { defineHandler } from '../../handler.ts';
import { presentSecrets } from '../../webhooks/present.ts';

export default defineHandler(rotateWebhookSecret, async ({ principal, actor, deps }) => {
  const { webhookSecrets } = deps;
  await webhookSecrets.rotate(principal.userId, actor);
  return presentSecrets(await webhookSecrets.list(principal.userId));
});
