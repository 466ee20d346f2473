import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash as digest,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { EncryptionKey } from '../config-values.ts';

export interface SealedHash {
  encryptedHash: Buffer;
  nonce: Buffer;
  version: number;
}

/** Seals the SHA-256 of a key's text, and compares a presented text with it. */
export interface KeyCipher {
  /** Version of the key that seals. */
  readonly newestVersion: number;
  seal(rowId: string, keyText: string): SealedHash;
  /** The same hash under the newest encryption key. @throws EncryptionKeyError */
  reseal(rowId: string, sealed: SealedHash): SealedHash;
  /**
   * Constant time in the comparison.
   * @throws EncryptionKeyError
   */
  matches(rowId: string, keyText: string, sealed: SealedHash): boolean;
}

/** A hash cannot be decrypted: its encryption key is missing or another one, or it was altered. */
export class EncryptionKeyError extends Error {}

const tagBytes = 16;
/** The least recently used ones are removed first. */
const keptHashes = 10_000;

function hashOf(keyText: string): Buffer {
  return digest('sha256', keyText, 'buffer');
}

/** AES-256-GCM, a fresh 96-bit nonce per row, the row id as additional data. The first key is the newest. */
export function createKeyCipher(keys: readonly EncryptionKey[]): KeyCipher {
  // Made once: from a Buffer, Node makes one for each call, which costs seven times the decryption.
  const prepared = keys.map(({ version, key }) => ({ version, key: createSecretKey(key) }));
  const [newest] = prepared;
  if (newest === undefined) throw new Error('KEY_ENCRYPTION_KEYS holds no key');
  const byVersion = new Map(prepared.map((entry) => [entry.version, entry.key]));

  const sealHash = (rowId: string, hash: Buffer): SealedHash => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', newest.key, nonce).setAAD(Buffer.from(rowId));
    const encryptedHash = Buffer.concat([cipher.update(hash), cipher.final(), cipher.getAuthTag()]);
    return { encryptedHash, nonce, version: newest.version };
  };

  function unseal(rowId: string, { version, nonce, encryptedHash }: SealedHash): Buffer {
    const key = byVersion.get(version);
    if (key === undefined) {
      throw new EncryptionKeyError(
        `KEY_ENCRYPTION_KEYS lacks version ${version}, which encrypted API key ${rowId}: add the old entry back`,
      );
    }
    const decipher = createDecipheriv('aes-256-gcm', key, nonce)
      .setAAD(Buffer.from(rowId))
      .setAuthTag(encryptedHash.subarray(-tagBytes));
    try {
      // All of it, since GCM has no blocks to wait for; the end checks the tag.
      const keyHash = decipher.update(encryptedHash.subarray(0, -tagBytes));
      decipher.final();
      return keyHash;
    } catch (cause) {
      throw new EncryptionKeyError(
        `KEY_ENCRYPTION_KEYS has another key as version ${version} than the one that encrypted API key ${rowId}: put the right one back`,
        { cause },
      );
    }
  }

  // A key is used many times in a row, and decrypting takes longer than all else that is asked of it here. The hash of
  // a random text tells nobody the text, so it may stay when its key has gone.
  const unsealed = new Map<string, { sealed: string; keyHash: Buffer }>();
  function unsealOnce(rowId: string, hash: SealedHash): Buffer {
    const sealed = `${hash.version} ${hash.nonce.toString('latin1')}${hash.encryptedHash.toString('latin1')}`;
    const known = unsealed.get(rowId);
    const keyHash = known?.sealed === sealed ? known.keyHash : unseal(rowId, hash);
    unsealed.delete(rowId);
    unsealed.set(rowId, { sealed, keyHash });
    const [oldest] = unsealed.keys();
    if (unsealed.size > keptHashes && oldest !== undefined) unsealed.delete(oldest);
    return keyHash;
  }

  return {
    newestVersion: newest.version,
    seal: (rowId, keyText) => sealHash(rowId, hashOf(keyText)),
    reseal: (rowId, sealed) => sealHash(rowId, unseal(rowId, sealed)),
    matches: (rowId, keyText, sealed) => timingSafeEqual(unsealOnce(rowId, sealed), hashOf(keyText)),
  };
}
