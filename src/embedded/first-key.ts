import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountConfig } from '../shared/config.ts';
import type { UserRow } from '../shared/db/account-tables.ts';
import { createApiKey, findApiKeyByLookupId, keyStatusOf } from '../shared/db/api-keys.ts';
import { createDb, type Db } from '../shared/db/client.ts';
import { createUser, findLicense, findUserByEmail, grantLicense } from '../shared/db/users.ts';
import { parseKeyText } from '../shared/keys/key-text.ts';
import { createKeyCipher } from '../shared/keys/key-cipher.ts';
import { type Home, ownerEmail, passwordFileOf } from './home.ts';
import { keepFile, readKeptFile } from './kept-file.ts';

const ownerPlan = 'scale';

async function isAccepted(db: Db, keyText: string | undefined): Promise<boolean> {
  const lookupId = parseKeyText(keyText?.trim() ?? '')?.lookupId;
  const row = lookupId === undefined ? undefined : await findApiKeyByLookupId(db, lookupId);
  const status = row && keyStatusOf(row);
  return status === 'active' || status === 'grace';
}

/** With a password to sign in to the console, kept in the home (mode 0600). Null where another process was first. */
async function createOwner(db: Db, home: Home): Promise<UserRow | null> {
  // Only the first start needs it, and it takes a while to load.
  const { hashPassword } = await import('better-auth/crypto');
  // Kept before the user is there: a start that is killed in between uses it again.
  const password = keepFile(passwordFileOf(home), `${randomBytes(15).toString('base64url')}\n`).trim();
  const passwordHash = await hashPassword(password);
  return await createUser(db, { email: ownerEmail, name: 'Owner', role: 'admin', passwordHash });
}

export interface FirstKey {
  key: string;
  /** Where it is kept. */
  file: string;
  /** Made by this start. */
  isNew: boolean;
}

/**
 * The key of whoever runs Quarry on their own machine: made once and kept in the home (mode 0600). A new one
 * only where the kept one is no longer accepted.
 */
export async function ensureFirstKey(options: {
  databaseUrl: string;
  config: AccountConfig;
  home: Home;
}): Promise<FirstKey> {
  const { databaseUrl, config, home } = options;
  const file = join(home.path, 'key');
  const db = createDb({ url: databaseUrl, poolSize: 1, onError: () => undefined });
  try {
    const kept = readKeptFile(file)?.trim();
    if (kept !== undefined && (await isAccepted(db, kept))) return { key: kept, file, isNew: false };
    if (kept !== undefined) renameSync(file, `${file}.old`);

    const user = (await findUserByEmail(db, ownerEmail)) ?? (await createOwner(db, home));
    if (user === null) throw new Error(`${ownerEmail} was created by another process; start again`);
    const plan = config.PLANS[ownerPlan] ?? Object.values(config.PLANS)[0];
    if (plan === undefined) throw new Error('PLANS names no plan');
    const license =
      (await findLicense(db, user.id)) ??
      (await grantLicense(db, user.id, { name: ownerPlan, ...plan, validUntil: null }));
    const { text } = await createApiKey(db, createKeyCipher(config.KEY_ENCRYPTION_KEYS), {
      userId: user.id,
      name: 'First key',
      rateLimit: license.rate_limit,
      userRateLimit: license.user_rate_limit,
      expiresAt: null,
    });
    return { key: keepFile(file, `${text}\n`).trim(), file, isNew: true };
  } finally {
    await db.destroy();
  }
}
