import { isDatabaseAway } from './client.ts';

/** Postgres refuses the user or the password, has no such database, or the two sides want other encryption. */
const isRefused = (error: Error): boolean =>
  ('code' in error && /^(28|3D|.*CERT)/.test(String(error.code))) ||
  /\bSASL\b|\bSSL\b|certificate/.test(error.message);

const isForbidden = (error: Error): boolean => 'code' in error && error.code === '42501';

/**
 * A sentence for the operator, without the password: what is wrong with the database of DATABASE_URL, why, and how to
 * mend it. Null where `error` is none of the database.
 */
export function describeDatabaseFailure(databaseUrl: string, error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const url = URL.parse(databaseUrl);
  const database = `The database of DATABASE_URL${url === null ? '' : `, ${url.host}${url.pathname},`}`;
  const reason = error.message || ('code' in error ? String(error.code) : error.name);
  if (isDatabaseAway(error) || isRefused(error))
    return `${database} cannot be reached: ${reason}. Start it or correct the variable.`;
  if (isForbidden(error))
    return `${database} refuses its role: ${reason}. Make that role the owner of the database (alter database … owner to …).`;
  return null;
}
