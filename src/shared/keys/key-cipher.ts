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
const keptHashes = 10_000;

/** Not in a slab of Node's, which would be kept as a whole. */
function copyAlone(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

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
      return Buffer.concat([decipher.update(encryptedHash.subarray(0, -tagBytes)), decipher.final()]);
    } catch (cause) {
      throw new EncryptionKeyError(
        `KEY_ENCRYPTION_KEYS has another key as version ${version} than the one that encrypted API key ${rowId}: put the right one back`,
        { cause },
      );
    }
  }

  // A key is used many times in a row, and decrypting takes longer than all else that is asked of it here.
  const unsealed = new Map<string, SealedHash & { keyHash: Buffer }>();
  function unsealOnce(rowId: string, sealed: SealedHash): Buffer {
    const known = unsealed.get(rowId);
    const isSame =
      known?.version === sealed.version &&
      known.encryptedHash.equals(sealed.encryptedHash) &&
      known.nonce.equals(sealed.nonce);
    if (isSame) return known.keyHash;
    const keyHash = copyAlone(unseal(rowId, sealed));
    unsealed.set(rowId, {
      version: sealed.version,
      encryptedHash: copyAlone(sealed.encryptedHash),
      nonce: copyAlone(sealed.nonce),
      keyHash,
    });
    const [oldest] = unsealed.keys();
    if (unsealed.size > keptHashes && oldest !== undefined) unsealed.delete(oldest);
    return keyHash;
  }

  return {
    newestVersion: newest.version,
    seal: (rowId, keyText) => sealHash(rowId, hashOf(keyText)),
    reseal: (rowId, sealed) => sealHash(rowId, unsealOnce(rowId, sealed)),
    matches: (rowId, keyText, sealed) => timingSafeEqual(unsealOnce(rowId, sealed), hashOf(keyText)),
  };
}
