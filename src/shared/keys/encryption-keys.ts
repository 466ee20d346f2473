import { ConfigError } from '../config.ts';
import type { Db } from '../db/client.ts';
import { listSealedOtherwise, listSealedSamples, storeSealed } from '../db/sealed-keys.ts';
import { EncryptionKeyError, type KeyCipher } from './key-cipher.ts';

/**
 * Opens one stored key of each encryption-key version. A process that cannot would refuse its users' good keys.
 * @throws ConfigError naming the versions that are missing or wrong.
 */
export async function checkEncryptionKeys(db: Db, cipher: KeyCipher): Promise<void> {
  const problems: string[] = [];
  for (const { id, sealed } of await listSealedSamples(db)) {
    try {
      cipher.reseal(id, sealed);
    } catch (error) {
      if (!(error instanceof EncryptionKeyError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

export interface Reencrypted {
  /** Keys that are sealed with the newest encryption key now and were not before. */
  done: number;
  /** Why keys had to be left as they are, by key id. */
  failed: Map<string, string>;
}

const batch = 200;

/**
 * Seals all keys with the newest encryption key while requests go on: each row changes in one statement, and
 * either version opens it. Stopped half-way, the next run does the rest.
 */
export async function reencryptKeys(db: Db, cipher: KeyCipher): Promise<Reencrypted> {
  const result: Reencrypted = { done: 0, failed: new Map() };
  let after: string | null = null;
  for (;;) {
    const keys = await listSealedOtherwise(db, { version: cipher.newestVersion, after, limit: batch });
    for (const key of keys) {
      try {
        if (await storeSealed(db, key, cipher.reseal(key.id, key.sealed))) result.done += 1;
      } catch (error) {
        if (!(error instanceof EncryptionKeyError)) throw error;
        result.failed.set(key.id, error.message);
      }
    }
    const last = keys.at(-1);
    if (last === undefined) return result;
    after = last.id;
  }
}
