import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import type { EncryptionKey } from '../config-values.ts';

/** Seals texts under the id of the row that keeps them. */
export interface TextCipher {
  seal(rowId: string, text: string): Buffer;
  /** @throws Error where the key is missing or another one, or the sealed text was altered or moved to another row. */
  unseal(rowId: string, sealed: Buffer): string;
}

const versionBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM: version of the key, a fresh nonce, the text, its tag; the row id is additional data. The first key seals. */
export function createTextCipher(keys: readonly EncryptionKey[]): TextCipher {
  const prepared = keys.map(({ version, key }) => ({ version, key: createSecretKey(key) }));
  const [newest] = prepared;
  if (newest === undefined) throw new Error('There is no key to seal with');

  return {
    seal(rowId, text) {
      const nonce = randomBytes(nonceBytes);
      const version = Buffer.alloc(versionBytes);
      version.writeUInt32BE(newest.version);
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce).setAAD(Buffer.from(rowId));
      return Buffer.concat([
        version,
        nonce,
        cipher.update(text, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
    },
    unseal(rowId, sealed) {
      const version = sealed.readUInt32BE(0);
      const key = prepared.find((entry) => entry.version === version)?.key;
      if (key === undefined)
        throw new Error(`JOB_INPUT_KEYS lacks version ${version}, which encrypted row ${rowId}`);
      const start = versionBytes + nonceBytes;
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(versionBytes, start))
        .setAAD(Buffer.from(rowId))
        .setAuthTag(sealed.subarray(-tagBytes));
      return Buffer.concat([decipher.update(sealed.subarray(start, -tagBytes)), decipher.final()]).toString();
    },
  };
}
