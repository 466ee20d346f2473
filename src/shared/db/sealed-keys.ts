import { sql } from 'kysely';
import type { SealedHash } from '../keys/key-cipher.ts';
import type { Db } from './client.ts';

export interface SealedKey {
  id: string;
  sealed: SealedHash;
}

const columns = ['id', 'encrypted_hash', 'nonce', 'encryption_key_version'] as const;

function toSealedKey(row: {
  id: string;
  encrypted_hash: Buffer;
  nonce: Buffer;
  encryption_key_version: number;
}): SealedKey {
  const { id, encrypted_hash: encryptedHash, nonce, encryption_key_version: version } = row;
  return { id, sealed: { encryptedHash, nonce, version } };
}

/** One key of each encryption-key version that a key which may still be accepted is sealed with. */
export async function listSealedSamples(db: Db): Promise<SealedKey[]> {
  const rows = await db
    .selectFrom('api_keys')
    .distinctOn('encryption_key_version')
    .select(columns)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
    .orderBy('encryption_key_version')
    .orderBy('id')
    .execute();
  return rows.map(toSealedKey);
}

/** Keys that another version than `version` sealed, from the id `after` on. */
export async function listSealedOtherwise(
  db: Db,
  { version, after, limit }: { version: number; after: string | null; limit: number },
): Promise<SealedKey[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select(columns)
    .where('encryption_key_version', '<>', version)
    .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toSealedKey);
}

/** Stores what was sealed anew, unless another run was there before. */
export async function storeSealed(
  db: Db,
  { id, sealed: old }: SealedKey,
  sealed: SealedHash,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_keys')
    .set({
      encrypted_hash: sealed.encryptedHash,
      nonce: sealed.nonce,
      encryption_key_version: sealed.version,
    })
    .where('id', '=', id)
    .where('nonce', '=', old.nonce)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
