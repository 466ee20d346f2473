import type { Home } from './home.ts';
import { startPostgres } from './postgres.ts';
import { isRunning, type ProcessIdentity } from './processes.ts';
import { startRedis } from './redis.ts';
import { StartError } from './start-error.ts';

/** Postgres and Redis: the operator's own where their address is given, else started here and kept running. */
export interface Stores {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Is the database one of ours, which `npm run admin` has to find? */
  readonly ownsDatabase: boolean;
  stop(): Promise<void>;
}

/** Called with every process that was started, under the name of the store. */
type Changed = (name: string, identity: ProcessIdentity) => void;

interface Store {
  readonly url: string;
  readonly process: ProcessIdentity;
  stop(): Promise<void>;
}

const checkEveryMs = 250;
/** After a start that failed. */
const pauseMs = 2_000;

export async function startStores(
  home: Home,
  env: NodeJS.ProcessEnv,
  hooks: { say: (line: string) => void; onChange: Changed },
): Promise<Stores> {
  const [postgres, redis] = await Promise.allSettled([
    env['DATABASE_URL'] ? undefined : keepRunning('Postgres', (again) => startPostgres(home, again), hooks),
    env['REDIS_URL']
      ? undefined
      : keepRunning('Redis', (again) => startKnownRedis(home, env, again, hooks.say), hooks),
  ]);
  if (postgres.status === 'rejected' || redis.status === 'rejected') {
    if (redis.status === 'fulfilled') await redis.value?.stop();
    if (postgres.status === 'fulfilled') await postgres.value?.stop();
    throw postgres.status === 'rejected' ? postgres.reason : (redis as PromiseRejectedResult).reason;
  }
  return {
    databaseUrl: postgres.value?.url ?? env['DATABASE_URL'] ?? '',
    redisUrl: redis.value?.url ?? env['REDIS_URL'] ?? '',
    ownsDatabase: postgres.value !== undefined,
    stop: async () => {
      await redis.value?.stop();
      await postgres.value?.stop();
    },
  };
}

async function startKnownRedis(
  home: Home,
  env: NodeJS.ProcessEnv,
  again: string | undefined,
  say: (line: string) => void,
): Promise<Store> {
  const redis = await startRedis(home, env, again);
  if (redis.note && !again) say(redis.note);
  return redis;
}

/** Starts it again, at the same address, when it ends by itself (killed for memory, say). */
async function keepRunning(
  name: string,
  start: (again: string | undefined) => Promise<Store>,
  { say, onChange }: { say: (line: string) => void; onChange: Changed },
): Promise<{ url: string; stop(): Promise<void> }> {
  let store = await start(undefined);
  // Under which all processes know it.
  const { url } = store;
  onChange(name, store.process);
  let restart: Promise<void> | undefined;
  let notBefore = 0;
  const timer = setInterval(() => {
    if (restart || performance.now() < notBefore || isRunning(store.process)) return;
    say(`${name} ended unexpectedly; starting it again`);
    restart = start(url)
      .then((next) => {
        store = next;
        onChange(name, store.process);
      })
      .catch((error: unknown) => {
        say(`${name}: ${error instanceof StartError ? error.message : String(error)}`);
        notBefore = performance.now() + pauseMs;
      })
      .finally(() => (restart = undefined));
  }, checkEveryMs);
  return {
    url,
    stop: async () => {
      clearInterval(timer);
      await restart;
      await store.stop();
    },
  };
}
