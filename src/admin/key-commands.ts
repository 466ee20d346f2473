import { keyStatusOf, revokeApiKey } from '../shared/db/api-keys.ts';
import { createLicensedKey } from '../shared/db/key-lifecycle.ts';
import { isId } from '../shared/ids.ts';
import { checkEncryptionKeys, reencryptKeys } from '../shared/keys/encryption-keys.ts';
import { deriveJobInputKeys, formatKeys } from '../shared/keys/job-input-keys.ts';
import { createKeyCipher } from '../shared/keys/key-cipher.ts';
import { keyPrefix, keyPreview } from '../shared/keys/key-text.ts';
import { AdminError, type Command, email, getUser, name, read } from './command.ts';

const create: Command = {
  options: ['email', 'name'],
  async run({ db, config }, options) {
    const user = await getUser(db, read('email', email, options['email']));
    const cipher = createKeyCipher(config.KEY_ENCRYPTION_KEYS);
    // A key encrypted with an encryption key that the service does not have would never be accepted.
    await checkEncryptionKeys(db, cipher);
    const made = await createLicensedKey(db, cipher, {
      userId: user.id,
      name: read('name', name, options['name']),
      expiresAt: null,
    });
    if (made.outcome === 'no license') {
      throw new AdminError(
        `${user.email} has no valid license. Grant one: license grant --email ${user.email} --plan pro`,
      );
    }
    if (made.outcome === 'too many keys') {
      const { max_keys, plan } = made.license;
      throw new AdminError(
        `${user.email} has the ${max_keys} keys that the plan ${plan} allows. Revoke one first.`,
      );
    }
    if (made.outcome === 'too often') {
      throw new AdminError(
        `${user.email} has as many new keys as can be made in an hour. The next one can be made in ${made.retryAfterSeconds} s.`,
      );
    }
    const { row, text } = made;
    return {
      json: {
        id: row.id,
        key: text,
        name: row.name,
        userId: user.id,
        prefix: keyPrefix,
        keyPreview,
        rateLimit: row.rate_limit,
        expiresAt: row.expires_at?.toISOString() ?? null,
        createdAt: row.created_at.toISOString(),
      },
      text: `${text}\nKey ${row.id} of ${user.email}. It is shown only now: keep it.`,
    };
  },
};

const revoke: Command = {
  options: ['id'],
  async run({ db }, options) {
    const id = String(options['id']);
    const key = isId(id) ? await revokeApiKey(db, id) : undefined;
    if (key === undefined) throw new AdminError(`There is no key with the id ${id}.`);
    return {
      json: { id: key.id, status: keyStatusOf(key), revokedAt: key.revoked_at?.toISOString() ?? null },
      text: `Key ${key.id} (${key.name}) is revoked: it is refused from the next request on.`,
    };
  },
};

const reencrypt: Command = {
  options: [],
  async run({ db, config }) {
    const cipher = createKeyCipher(config.KEY_ENCRYPTION_KEYS);
    const { done, failed } = await reencryptKeys(db, cipher);
    if (failed.size > 0) {
      const [reason = ''] = failed.values();
      throw new AdminError(
        `${done} keys are encrypted anew, but ${failed.size} could not be decrypted and are left as they are. ${reason}.`,
      );
    }
    return {
      json: { reencrypted: done, version: cipher.newestVersion },
      text:
        `${done} keys are encrypted anew: all have version ${cipher.newestVersion} of the encryption keys now. ` +
        'Older entries of KEY_ENCRYPTION_KEYS can be removed once every process, workers too, runs with it and the jobs of before have ended.',
    };
  },
};

const jobInput: Command = {
  options: [],
  run: async ({ config }) => {
    const keys = formatKeys(config.JOB_INPUT_KEYS ?? deriveJobInputKeys(config.KEY_ENCRYPTION_KEYS));
    return { json: { JOB_INPUT_KEYS: keys }, text: `JOB_INPUT_KEYS=${keys}` };
  },
};

export const keyCommands: Record<string, Command> = {
  'key create': create,
  'key revoke': revoke,
  'keys reencrypt': reencrypt,
  'keys job-input': jobInput,
};
