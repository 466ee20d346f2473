import { z } from 'zod';
import type { Answer } from '../embedded/run-command.ts';
import type { AccountConfig } from '../shared/config.ts';
import type { Db } from '../shared/db/client.ts';
import type { UserRow } from '../shared/db/account-tables.ts';
import { findUserByEmail } from '../shared/db/users.ts';

/** A wrong use or an impossible wish, in words for the operator. */
export class AdminError extends Error {}

export interface AdminContext {
  db: Db;
  /** Of the same database. */
  databaseUrl: string;
  config: AccountConfig;
}

export interface Command {
  /** Options beside `--json`; a trailing `?` marks an optional one, `!` a flag. */
  options: readonly string[];
  /** Of whatever version the database is; others need the schema of this one. */
  anySchema?: true;
  run(context: AdminContext, options: Record<string, string | boolean | undefined>): Promise<Answer>;
}

export const email = z.email('is no e-mail address').max(254);
export const name = z.string().trim().min(1, 'must not be empty').max(100, 'has at most 100 characters');
export const password = z.string().min(8, 'has at least 8 characters').max(128, 'has at most 128 characters');

/** @throws AdminError naming the option. */
export function read<T>(option: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AdminError(`--${option} ${result.error.issues[0]?.message ?? 'is not usable'}`);
}

/** @throws AdminError where there is none. */
export async function getUser(db: Db, address: string): Promise<UserRow> {
  const user = await findUserByEmail(db, address);
  if (user === undefined)
    throw new AdminError(`There is no user ${address}. Create one: user create --email ${address}`);
  return user;
}
