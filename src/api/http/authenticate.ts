import { keyStatusOf } from '../../shared/db/api-keys.ts';
import { isDatabaseAway } from '../../shared/db/client.ts';
import { AppError } from '../../shared/errors.ts';
import type { ApiKeyRow } from '../../shared/db/account-tables.ts';
import type { KeyCipher } from '../../shared/keys/key-cipher.ts';
import { type KeyText, parseKeyText } from '../../shared/keys/key-text.ts';
import type { ApiDeps } from '../deps.ts';
import type { ApiContext, Principal } from './context.ts';
import { checkAddress } from './key-rights.ts';

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

/** Whether the request tries to say by an API key who asks. */
export const carriesKey = (ctx: ApiContext): boolean =>
  ctx.get('X-API-Key').trim() !== '' || /^Bearer /i.test(ctx.get('Authorization').trim());

type Deps = Pick<ApiDeps, 'cipher' | 'findKey' | 'knownKeys' | 'findClientAddress'>;

/** Where a request truly comes from. */
export const addressOf = (ctx: ApiContext, { findClientAddress }: Pick<Deps, 'findClientAddress'>): string =>
  findClientAddress(ctx.req.socket.remoteAddress ?? '', ctx.get('X-Forwarded-For'));

function readKey(ctx: ApiContext): KeyText {
  return parseKey(presentedKey(ctx));
}

function parseKey(text: string): KeyText {
  const parsed = parseKeyText(text);
  if (parsed !== null) return parsed;
  throw new AppError(
    'key_invalid',
    'The API key is not well formed or its checksum is wrong. Copy it again, whole: svc_live_ and 50 characters.',
    challenge,
  );
}

/**
 * @param address where the request comes from; null where that does not matter.
 * @throws AppError `key_invalid`, `key_revoked`, `key_expired`, `forbidden`.
 */
function accept(
  parsed: KeyText,
  row: ApiKeyRow | undefined,
  cipher: KeyCipher,
  address: (() => string) | null,
): Principal {
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
  if (address !== null && row.allowed_addresses !== null) checkAddress(row, address());
  return {
    userId: row.user_id,
    keyId: row.id,
    keyName: row.name,
    allowanceId: row.allowance_id,
    rateLimit: row.rate_limit,
    userRateLimit: row.user_rate_limit,
    expiresAt: row.expires_at,
    scopes: row.scopes,
    revision: row.revision,
  };
}

/**
 * Reads and verifies the API key. Postgres is asked each time, so that a revoke holds from the next request
 * on in every process; a wrong checksum is refused before.
 * @throws AppError `key_missing`, `key_invalid`, `key_revoked`, `key_expired`, `forbidden` where the key is not for
 * the client's address.
 */
export async function authenticate(ctx: ApiContext, deps: Deps): Promise<Principal> {
  return await authenticateKey(readKey(ctx), deps, () => addressOf(ctx, deps));
}

/** As `authenticate`, wherever the request comes from: who asks about a key is not who uses it. */
export async function authenticateAnywhere(ctx: ApiContext, deps: Deps): Promise<Principal> {
  return await authenticateKey(readKey(ctx), deps, null);
}

/** As `authenticate`, of a key that did not come in a header. @throws AppError */
export async function authenticateText(text: string, ctx: ApiContext, deps: Deps): Promise<Principal> {
  return await authenticateKey(parseKey(text), deps, () => addressOf(ctx, deps));
}

async function authenticateKey(
  parsed: KeyText,
  { cipher, findKey, knownKeys }: Deps,
  address: (() => string) | null,
): Promise<Principal> {
  knownKeys.forget(parsed.lookupId);
  const row = await findKey(parsed.lookupId);
  const principal = accept(parsed, row, cipher, address);
  if (row !== undefined) knownKeys.keep(row);
  return principal;
}

/** What was begun for a key that was only known from before is to be begun again, once Postgres was asked. */
export class KeyUnsure extends Error {}

export interface Caller {
  principal: Principal;
  /** Postgres was asked for this request. Where not, what promises something must ask it, or throw `KeyUnsure`. */
  isSure: boolean;
}

/**
 * Runs `begin` for whom the API key belongs to. A key that was accepted lately spares the query of Postgres:
 * `begin` has it asked by the very statement that promises something. If that does not come to pass, Postgres
 * is asked before anything else is answered, so that a key that is no longer accepted gets its own error.
 * @throws AppError of `authenticate`, and what `begin` throws.
 */
export async function asCaller<T>(
  ctx: ApiContext,
  deps: Deps,
  begin: (caller: Caller) => Promise<T>,
): Promise<T> {
  const parsed = readKey(ctx);
  const row = deps.knownKeys.find(parsed.lookupId);
  if (row === undefined) return await begin({ principal: await authenticate(ctx, deps), isSure: true });
  try {
    const principal = accept(parsed, row, deps.cipher, () => addressOf(ctx, deps));
    return await begin({ principal, isSure: false });
  } catch (error) {
    // To be asked again it would have to answer.
    if (isDatabaseAway(error)) throw error;
    const principal = await authenticate(ctx, deps).catch((refusal: unknown) => {
      // Of the use that was taken, or refused, meanwhile.
      ctx.remove('RateLimit');
      ctx.remove('RateLimit-Policy');
      throw refusal;
    });
    const again =
      error instanceof KeyUnsure ||
      principal.revision !== row.revision ||
      principal.rateLimit !== row.rate_limit ||
      principal.userRateLimit !== row.user_rate_limit;
    if (again) return await begin({ principal, isSure: true });
    throw error;
  }
}
