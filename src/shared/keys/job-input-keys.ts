import { hkdfSync } from 'node:crypto';
import type { EncryptionKey } from '../config-values.ts';

/**
 * The keys that encrypt what jobs were given for their targets, made of those that encrypt API keys (HKDF, RFC 5869). Workers
 * are given these: they decrypt what they run, and nothing that an API key is checked by can be had from them.
 */
export function deriveJobInputKeys(keys: readonly EncryptionKey[]): EncryptionKey[] {
  return keys.map(({ version, key }) => ({
    version,
    key: Buffer.from(hkdfSync('sha256', key, '', 'quarry job input', 32)),
  }));
}

/** As `JOB_INPUT_KEYS` spells them. */
export const formatKeys = (keys: readonly EncryptionKey[]): string =>
  keys.map(({ version, key }) => `${version}:${key.toString('base64')}`).join(',');
