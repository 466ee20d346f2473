import type { EncryptionKey } from '../config-values.ts';
import { createTextCipher } from '../keys/text-cipher.ts';

/** Fields of requests that are for the target alone: they may hold passwords and sessions. */
const secretFields = ['headers', 'cookies'] as const;

/** Keeps what a job was given for its target out of the clear: sealed in its row while it lives, gone with its end. */
export interface JobSecrets {
  split(rowId: string, request: unknown): { input: unknown; secrets: Buffer | null };
  /** The request as it was. @throws Error where it was sealed with a key that is not here. */
  join(row: { id: string; input: unknown; secrets: Buffer | null }): unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function createJobSecrets(keys: readonly EncryptionKey[]): JobSecrets {
  const cipher = createTextCipher(keys);
  return {
    split(rowId, request) {
      if (!isObject(request)) return { input: request, secrets: null };
      const isSecret = ([name]: [string, unknown]) => secretFields.some((field) => field === name);
      const entries = Object.entries(request);
      const secret = entries.filter(isSecret);
      if (secret.length === 0) return { input: request, secrets: null };
      return {
        input: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
        secrets: cipher.seal(rowId, JSON.stringify(Object.fromEntries(secret))),
      };
    },
    join({ id, input, secrets }) {
      if (secrets === null || !isObject(input)) return input;
      return { ...input, ...(JSON.parse(cipher.unseal(id, secrets)) as Record<string, unknown>) };
    },
  };
}
