import { validateKey } from '../../../shared/contracts/keys/validate.ts';
import { scarcerOf } from '../../../shared/usage/allowance.ts';
import { defineHandler } from '../../handler.ts';
import { limitsOf } from '../../http/context.ts';

export default defineHandler(validateKey, async ({ principal, deps }) => {
  const { remaining } = scarcerOf(await deps.allowances.readWithFallback(principal, limitsOf(principal)));
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
