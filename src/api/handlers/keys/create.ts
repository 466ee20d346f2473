import { createKey } from '../../../shared/contracts/keys/create.ts';
import { createLicensedKey } from '../../../shared/db/key-lifecycle.ts';
import { AppError } from '../../../shared/errors.ts';
import { keyPreview } from '../../../shared/keys/key-text.ts';
import { defineHandler } from '../../handler.ts';
import { makeKeys } from '../../key-mutexes.ts';
import { checkKnownScopes } from '../../known-scopes.ts';
import { presentKey } from '../../present-key.ts';

export default defineHandler(createKey, async ({ input, principal, actor, deps }) => {
  checkKnownScopes(deps.catalog, input.scopes ?? null);
  const asked = {
    userId: principal.userId,
    name: input.name,
    expiresAt: input.expiresAt === undefined ? null : new Date(input.expiresAt),
    rights: {
      scopes: input.scopes ?? null,
      allowedAddresses: input.allowedAddresses ?? null,
      metadata: input.metadata ?? null,
    },
  };
  const made = await makeKeys(principal.userId, () => createLicensedKey(deps.db, deps.cipher, asked, actor));
  if (made.outcome === 'no license') {
    throw new AppError(
      'license_required',
      'Creating keys needs a valid license, and you have none. Ask the operator for one; existing keys keep working.',
    );
  }
  if (made.outcome === 'too many keys') {
    const { max_keys, plan } = made.license;
    throw new AppError(
      'forbidden',
      `You have the ${max_keys} active keys that the plan ${plan} allows. Revoke or delete one first.`,
    );
  }
  if (made.outcome === 'too often') {
    const { retryAfterSeconds } = made;
    const detail = `You have made as many keys as you can in an hour. The next one can be made in ${retryAfterSeconds} s.`;
    throw new AppError('too_many_attempts', detail, { retryAfterSeconds });
  }
  const { id, name, prefix, rateLimit, expiresAt, createdAt, scopes, allowedAddresses, metadata } =
    presentKey(made.row);
  return {
    id,
    key: made.text,
    name,
    message: 'Keep this key now: it is shown only once and cannot be recovered.',
    prefix,
    keyPreview,
    rateLimit,
    expiresAt,
    createdAt,
    scopes,
    allowedAddresses,
    metadata,
  };
});
