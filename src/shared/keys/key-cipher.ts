import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EncryptionKey } from '../config.ts';

export interface SealedHash {
  encryptedHash: Buffer;
  nonce: Buffer;
  version: number;
}

/** Seals the SHA-256 of a key's text, and compares a presented text with it. */
export interface KeyCipher {
  seal(rowId: string, keyText: string): SealedHash;
  /**
   * Constant time in the comparison.
   * @throws Error where the sealed hash cannot be opened: its encryption key is missing, or it was altered.
   */
  matches(rowId: string, keyText: string, sealed: SealedHash): boolean;
}

const tagBytes = 16;

function hashOf(keyText: string): Buffer {
  return createHash('sha256').update(keyText).digest();
}

/** AES-256-GCM, a fresh 96-bit nonce per row, the row id as additional data. The first key is the newest. */
export function createKeyCipher(keys: readonly EncryptionKey[]): KeyCipher {
  const [newest] = keys;
  if (newest === undefined) throw new Error('KEY_ENCRYPTION_KEYS holds no key');
  const byVersion = new Map(keys.map((entry) => [entry.version, entry.key]));
  return {
    seal(rowId, keyText) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce).setAAD(Buffer.from(rowId));
      const sealed = Buffer.concat([cipher.update(hashOf(keyText)), cipher.final(), cipher.getAuthTag()]);
      return { encryptedHash: sealed, nonce, version: newest.version };
    },
    matches(rowId, keyText, sealed) {
      const key = byVersion.get(sealed.version);
      if (key === undefined) {
        throw new Error(
          `KEY_ENCRYPTION_KEYS lacks version ${sealed.version}, which sealed API key ${rowId}: add the old entry back`,
        );
      }
      const body = sealed.encryptedHash.subarray(0, -tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.nonce)
        .setAAD(Buffer.from(rowId))
        .setAuthTag(sealed.encryptedHash.subarray(-tagBytes));
      const expected = Buffer.concat([decipher.update(body), decipher.final()]);
      return timingSafeEqual(expected, hashOf(keyText));
    },
  };
}
