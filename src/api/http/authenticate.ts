import { keyStatusOf } from '../../shared/db/api-keys.ts';
import { AppError } from '../../shared/errors.ts';
import { parseKeyText } from '../../shared/keys/key-text.ts';
import type { ApiDeps } from '../deps.ts';
import type { ApiContext, Principal } from './context.ts';

const challenge = { headers: { 'WWW-Authenticate': 'Bearer realm="quarry"' } };

function presentedKey(ctx: ApiContext): string {
  const own = ctx.get('X-API-Key').trim();
  if (own !== '') return own;
  const bearer = /^Bearer +(\S+)$/i.exec(ctx.get('Authorization').trim())?.[1];
  if (bearer !== undefined) return bearer;
  throw new AppError(
    'key_missing',
    'This call needs an API key. Send it in the header X-API-Key, or as Authorization: Bearer. A key in the URL is never read.',
    challenge,
  );
}

/**
 * Reads and verifies the API key. Postgres is asked each time, so that a revoke holds from the next request
 * on in every process; a wrong checksum is refused before.
 * @throws AppError `key_missing`, `key_invalid`, `key_revoked`, `key_expired`.
 */
export async function authenticate(
  ctx: ApiContext,
  { cipher, findKey }: Pick<ApiDeps, 'cipher' | 'findKey'>,
): Promise<Principal> {
  const parsed = parseKeyText(presentedKey(ctx));
  if (parsed === null) {
    throw new AppError(
      'key_invalid',
      'The API key is not well formed or its checksum is wrong. Copy it again, whole: svc_live_ and 50 characters.',
      challenge,
    );
  }
  const row = await findKey(parsed.lookupId);
  const sealed = row && {
    encryptedHash: row.encrypted_hash,
    nonce: row.nonce,
    version: row.encryption_key_version,
  };
  if (row === undefined || sealed === undefined || !cipher.matches(row.id, parsed.text, sealed)) {
    throw new AppError(
      'key_invalid',
      'The API key is not known here. Check that it belongs to this service, or create a new one.',
      challenge,
    );
  }
  const status = keyStatusOf(row);
  if (status === 'revoked') {
    throw new AppError(
      'key_revoked',
      'The API key was revoked. Use another key, or create a new one.',
      challenge,
    );
  }
  if (status === 'expired') {
    const why = row.rotated_at === null ? 'has expired' : 'was rotated and its grace period is over';
    throw new AppError(
      'key_expired',
      `The API key ${why}. Use its successor, or create a new one.`,
      challenge,
    );
  }
  return {
    userId: row.user_id,
    keyId: row.id,
    keyName: row.name,
    allowanceId: row.allowance_id,
    rateLimit: row.rate_limit,
    expiresAt: row.expires_at,
  };
}
