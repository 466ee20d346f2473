/**
 * What has to be done once before the API and the workers start, in a process of its own: what it loads would stay in
 * the memory of the one that supervises them. `prepare.ts` starts it.
 */
import { apiSecrets, ConfigError, readConfig } from '../shared/config.ts';
import { migrate } from '../shared/db/migrate.ts';
import { formatKeys } from '../shared/keys/job-input-keys.ts';
import { ensureFirstKey } from './first-key.ts';
import { migrateGiven } from './given-database.ts';
import type { Prepared, PrepareReply, PrepareRequest } from './prepare.ts';
import { StartError } from './start-error.ts';
import { warmCode } from './warm-code.ts';

async function prepare({ env, home, ownsDatabase }: PrepareRequest): Promise<Prepared> {
  const databaseUrl = env['DATABASE_URL'] ?? '';
  await (ownsDatabase ? migrate(databaseUrl) : migrateGiven(databaseUrl));
  // What is wrong is told here and now, not three times over in the logs of those who are started on it.
  const config = readConfig(env);
  const firstKey = await ensureFirstKey({ databaseUrl, config, home });
  const withheld = new Set<string>(apiSecrets);
  return {
    firstKey,
    logToStdout: config.LOG_TO === 'stdout',
    workerEnv: {
      ...Object.fromEntries(Object.entries(env).filter(([name]) => !withheld.has(name))),
      JOB_INPUT_KEYS: formatKeys(config.jobInputKeys),
    },
  };
}

function failureOf(error: Error): PrepareReply {
  const isForPeople = error instanceof StartError || error instanceof ConfigError;
  return { kind: 'failed', isForPeople, message: isForPeople ? error.message : String(error.stack ?? error) };
}

process.once('disconnect', () => process.exit());
const request = Promise.withResolvers<PrepareRequest>();
process.once('message', (message) => request.resolve(message as PrepareRequest));
const compileCache = process.env['NODE_COMPILE_CACHE'];
// Without it everything is compiled where it is used, and works all the same.
if (compileCache !== undefined) await warmCode(compileCache).catch(() => undefined);
const reply = await prepare(await request.promise).then(
  (prepared): PrepareReply => ({ kind: 'done', prepared }),
  (error: unknown) => failureOf(error as Error),
);
process.send?.(reply, () => process.exit());
