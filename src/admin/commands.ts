import { hashPassword } from 'better-auth/crypto';
import { z } from 'zod';
import { type AccountConfig } from '../shared/config.ts';
import { countActiveKeys, createApiKey, keyStatusOf, revokeApiKey } from '../shared/db/api-keys.ts';
import type { Db } from '../shared/db/client.ts';
import type { LicenseRow, UserRow } from '../shared/db/tables.ts';
import {
  createUser,
  findLicense,
  findUserByEmail,
  grantLicense,
  isLicenseValid,
  listUsers,
  revokeLicense,
} from '../shared/db/users.ts';
import { isId } from '../shared/ids.ts';
import { createKeyCipher } from '../shared/keys/key-cipher.ts';
import { keyPrefix, keyPreview } from '../shared/keys/key-text.ts';

/** A wrong use or an impossible wish, in words for the operator. */
export class AdminError extends Error {}

export interface AdminContext {
  db: Db;
  config: AccountConfig;
}

export interface Answer {
  /** One object, for `--json`. */
  json: Record<string, unknown>;
  /** The same for people. */
  text: string;
}

interface Command {
  /** Options beside `--json`; a trailing `?` marks an optional one, `!` a flag. */
  options: readonly string[];
  run(context: AdminContext, options: Record<string, string | boolean | undefined>): Promise<Answer>;
}

const email = z.email('is no e-mail address').max(254);
const name = z.string().trim().min(1, 'must not be empty').max(100, 'has at most 100 characters');
const password = z.string().min(8, 'has at least 8 characters').max(128, 'has at most 128 characters');

function read<T>(option: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AdminError(`--${option} ${result.error.issues[0]?.message ?? 'is not usable'}`);
}

async function getUser(db: Db, address: string): Promise<UserRow> {
  const user = await findUserByEmail(db, address);
  if (user === undefined)
    throw new AdminError(`There is no user ${address}. Create one: user create --email ${address}`);
  return user;
}

const presentLicense = (address: string, license: LicenseRow) => ({
  userId: license.user_id,
  email: address,
  plan: license.plan,
  rateLimit: license.rate_limit,
  maxConcurrentJobs: license.max_concurrent_jobs,
  maxKeys: license.max_keys,
  validFrom: license.valid_from.toISOString(),
  validUntil: license.valid_until?.toISOString() ?? null,
  revokedAt: license.revoked_at?.toISOString() ?? null,
});

export const commands: Record<string, Command> = {
  'user create': {
    options: ['email', 'password?', 'name?', 'admin!'],
    async run({ db }, options) {
      const address = read('email', email, options['email']);
      const plain =
        options['password'] === undefined ? null : read('password', password, options['password']);
      const user = await createUser(db, {
        email: address,
        name: read('name', name, options['name'] ?? address.split('@')[0]),
        role: options['admin'] === true ? 'admin' : 'user',
        passwordHash: plain === null ? null : await hashPassword(plain),
      });
      if (user === null) throw new AdminError(`${address} is taken: there is such a user already.`);
      return {
        json: { id: user.id, email: user.email, name: user.name, role: user.role },
        text: `Created ${user.role} ${user.email} (${user.id}).`,
      };
    },
  },
  'user list': {
    options: [],
    async run({ db }) {
      const users = (await listUsers(db)).map((user) => ({
        id: user.id,
        email: user.email,
        name: user.name,
        role: user.role,
        plan: user.plan,
        activeKeys: user.active_keys,
        createdAt: user.created_at.toISOString(),
      }));
      return {
        json: { users },
        text: users
          .map(
            ({ id, email: address, role, plan, activeKeys }) =>
              `${id}  ${address}  ${role}  ${plan ?? 'no license'}  ${activeKeys} keys`,
          )
          .join('\n'),
      };
    },
  },
  'license grant': {
    options: ['email', 'plan'],
    async run({ db, config }, options) {
      const user = await getUser(db, read('email', email, options['email']));
      const planName = String(options['plan']);
      const plan = config.PLANS[planName];
      if (plan === undefined) {
        throw new AdminError(`There is no plan ${planName}. Plans: ${Object.keys(config.PLANS).join(', ')}.`);
      }
      const license = await grantLicense(db, user.id, planName, plan);
      return {
        json: presentLicense(user.email, license),
        text: `${user.email} has the plan ${planName}: ${plan.rateLimit} requests an hour, ${plan.maxConcurrentJobs} jobs at a time, ${plan.maxKeys} keys.`,
      };
    },
  },
  'license revoke': {
    options: ['email'],
    async run({ db }, options) {
      const user = await getUser(db, read('email', email, options['email']));
      const license = await revokeLicense(db, user.id);
      if (license === undefined) throw new AdminError(`${user.email} has no license.`);
      return {
        json: presentLicense(user.email, license),
        text: `The license of ${user.email} is revoked. Existing keys keep working; new ones cannot be made.`,
      };
    },
  },
  'key create': {
    options: ['email', 'name'],
    async run({ db, config }, options) {
      const user = await getUser(db, read('email', email, options['email']));
      const keyName = read('name', name, options['name']);
      const license = await findLicense(db, user.id);
      if (!isLicenseValid(license)) {
        throw new AdminError(
          `${user.email} has no valid license. Grant one: license grant --email ${user.email} --plan pro`,
        );
      }
      if ((await countActiveKeys(db, user.id)) >= license.max_keys) {
        throw new AdminError(
          `${user.email} has the ${license.max_keys} keys that the plan ${license.plan} allows. Revoke one first.`,
        );
      }
      const { row, text } = await createApiKey(db, createKeyCipher(config.KEY_ENCRYPTION_KEYS), {
        userId: user.id,
        name: keyName,
        rateLimit: license.rate_limit,
        expiresAt: null,
      });
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
  },
  'key revoke': {
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
  },
};
