import { validateKey } from '../../../shared/contracts/keys/validate.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(validateKey, async ({ principal, deps }) => {
  const { remaining } = await deps.allowances.look(principal, principal.rateLimit);
  return {
    valid: true as const,
    userId: principal.userId,
    rateLimit: principal.rateLimit,
    isActive: true as const,
    keyId: principal.keyId,
    name: principal.keyName,
    expiresAt: principal.expiresAt?.toISOString() ?? null,
    remaining,
  };
});
