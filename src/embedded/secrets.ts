import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { z } from 'zod';
import { type Home, homePath, secretsFileOf } from './home.ts';
import { keepFile, readKeptFile } from './kept-file.ts';
import { StartError } from './start-error.ts';

const keyEncryptionKey = /^\d{1,9}:[A-Za-z0-9+/_-]{43}=?$/;
const secret = z.string().min(32);

const storedSecrets = z.strictObject({
  KEY_ENCRYPTION_KEYS: z
    .string()
    .refine(
      (keys) => keys.split(',').every((key) => keyEncryptionKey.test(key)),
      'not version:base64 of 32 bytes',
    ),
  SESSION_SECRET: secret,
  LINK_SECRET: secret,
});

/** Named as the environment variables that override them. */
export type Secrets = z.infer<typeof storedSecrets>;

const names = Object.keys(storedSecrets.shape);

/**
 * The secrets of this home, made at the first call. Without KEY_ENCRYPTION_KEYS no stored API key can ever be
 * verified again, so a damaged or lost file is reported and never replaced.
 */
export function openSecrets(home: Home, env: Readonly<Record<string, string | undefined>>): Secrets {
  const given = secretsFrom(env);
  return given ?? { ...readOrMake(home), ...present(env) };
}

/** Those of the environment, and for the others those of a home that has been made before. Makes nothing. */
export function findSecrets(env: Readonly<Record<string, string | undefined>>): Partial<Secrets> {
  const given = secretsFrom(env);
  if (given !== undefined) return given;
  const file = secretsFileOf(homePath(env));
  const text = readKeptFile(file);
  return { ...(text !== undefined && parse(text, file)), ...present(env) };
}

/** The secrets when the environment gives all of them. */
function secretsFrom(env: Readonly<Record<string, string | undefined>>): Secrets | undefined {
  const given = present(env);
  return Object.keys(given).length === names.length ? (given as Secrets) : undefined;
}

function present(env: Readonly<Record<string, string | undefined>>): Partial<Secrets> {
  return Object.fromEntries(names.filter((name) => env[name]).map((name) => [name, env[name]]));
}

function readOrMake(home: Home): Secrets {
  const text = readKeptFile(home.secretsFile);
  if (text !== undefined) return parse(text, home.secretsFile);
  if (lstatSync(home.postgresData, { throwIfNoEntry: false })) {
    throw new StartError(
      `${home.secretsFile} is missing, but ${home.path} holds a database whose API keys are encrypted with it. ` +
        'Put the file back from a backup, or set KEY_ENCRYPTION_KEYS, SESSION_SECRET and LINK_SECRET. ' +
        `To begin anew, move ${home.path} away.`,
    );
  }
  const made: Secrets = {
    KEY_ENCRYPTION_KEYS: `1:${randomBytes(32).toString('base64')}`,
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    LINK_SECRET: randomBytes(32).toString('base64url'),
  };
  return parse(keepFile(home.secretsFile, `${JSON.stringify(made, null, 2)}\n`), home.secretsFile);
}

function parse(text: string, file: string): Secrets {
  try {
    return storedSecrets.parse(JSON.parse(text));
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')
        : 'it is not JSON'; // the parser's own message would quote a secret
    throw new StartError(
      `${file} is damaged (${reason}). It is left as it is: put it back from a backup, or set ` +
        'KEY_ENCRYPTION_KEYS, SESSION_SECRET and LINK_SECRET in the environment.',
    );
  }
}
