import { sql } from 'kysely';
import { keyStatusOf } from '../../shared/db/api-keys.ts';
import type { Db } from '../../shared/db/client.ts';
import type { ApiKeyRow } from '../../shared/db/account-tables.ts';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import { checkAddress, checkScope } from '../http/key-rights.ts';
import { feedScope } from './identify-listener.ts';
import type { Listener } from './subscriber.ts';

export interface Refusal {
  code: ErrorCode;
  detail: string;
}

const refusals = {
  revoked: { code: 'key_revoked', detail: 'The API key was revoked.' },
  expired: { code: 'key_expired', detail: 'The API key has expired, or its grace period is over.' },
  unknown: { code: 'key_invalid', detail: 'The API key was deleted.' },
  signedOut: { code: 'unauthenticated', detail: 'The session has ended. Sign in again.' },
} as const satisfies Record<string, Refusal>;

const idsOf = (ids: (string | null)[]) => [...new Set(ids.filter((id) => id !== null))];

function findRightsRefusal(key: ApiKeyRow, address: string): Refusal | null {
  try {
    checkScope(key, feedScope);
    checkAddress(key, address);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, detail: error.detail };
  }
}

/** Asks Postgres who may still listen. @returns why each of the others may not. */
export async function findRefusals(
  db: Db,
  listeners: readonly Listener[],
): Promise<(listener: Listener) => Refusal | null> {
  const keyIds = idsOf(listeners.map(({ keyId }) => keyId));
  const sessionIds = idsOf(listeners.map(({ sessionId }) => sessionId));
  const [keys, sessions] = await Promise.all([
    keyIds.length === 0
      ? []
      : db
          .selectFrom('api_keys')
          .selectAll()
          .where('id', '=', sql<string>`any(${keyIds}::uuid[])`)
          .execute(),
    sessionIds.length === 0
      ? []
      : db
          .selectFrom('sessions')
          .select('id')
          .where('id', '=', sql<string>`any(${sessionIds}::uuid[])`)
          .where('expires_at', '>', sql<Date>`now()`)
          .execute(),
  ]);
  const keyOf = new Map(keys.map((key) => [key.id, key]));
  const signedIn = new Set(sessions.map(({ id }) => id));
  return ({ keyId, sessionId, address }) => {
    if (keyId === null) return signedIn.has(sessionId ?? '') ? null : refusals.signedOut;
    const key = keyOf.get(keyId);
    const status = key === undefined ? 'unknown' : keyStatusOf(key);
    if (status !== 'active' && status !== 'grace') return refusals[status];
    return key === undefined ? refusals.unknown : findRightsRefusal(key, address);
  };
}
