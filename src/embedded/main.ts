import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole } from './console.ts';
import { superviseChild, type SupervisedChild, smallYoungGeneration } from './children.ts';
import { openHome, ownerEmail, passwordFileOf, type Home } from './home.ts';
import { endLeftovers, type HomeLock, findHolder, tryLockHome, waitUntil } from './home-lock.ts';
import { startPreparation } from './prepare.ts';
import { createPriorities } from './priorities.ts';
import type { ProcessIdentity } from './processes.ts';
import { readyMessage, untilReady } from './readiness.ts';
import { startSamplePage } from './sample-page.ts';
import { openSecrets } from './secrets.ts';
import { StartError } from './start-error.ts';
import { startStores } from './stores.ts';

/** A request under way may take this long to be answered after Ctrl-C. */
const apiGraceMs = 15_000;
const workerGraceMs = 10_000;
/** An `npm run admin` command that has the database to itself is done long before. */
const commandMayTakeMs = 60_000;

/**
 * glibc keeps what buffers of pages and results have filled, in up to eight arenas a processor; so it is given back
 * (mallopt(3)).
 */
const givesMemoryBack = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };

const sourceFolder = join(import.meta.dirname, '..');

/** Started things in the order of their start; they are stopped in the opposite order. */
type Stops = (() => Promise<void>)[];

async function start(stops: Stops, stopping: AbortSignal, hurry: AbortSignal): Promise<void> {
  checkMachine();
  const home = openHome(process.env);
  const lock = await takeHome(home);
  stops.push(async () => lock[Symbol.dispose]());
  await endLeftovers(lock);
  const secrets = openSecrets(home, process.env);

  const running = new Map<string, ProcessIdentity>();
  const priorities = createPriorities();
  stops.push(async () => priorities[Symbol.dispose]());
  const onChange = (name: string, identity: ProcessIdentity | undefined): void => {
    if (identity) priorities.raise(name, identity);
    if (name === 'Postgres') return; // it is found by its data, and ending it with the rest would only cost time
    if (identity) running.set(name, identity);
    else running.delete(name);
    try {
      lock.announce({ children: [...running.values()] });
    } catch (error) {
      // The disk is full, say: the service is of use all the same.
      say(`Its processes could not be written down: ${(error as Error).message}`);
    }
  };
  const compileCache = process.env['NODE_COMPILE_CACHE'] || join(home.path, 'compile-cache');
  const preparation = startPreparation({ ...process.env, NODE_COMPILE_CACHE: compileCache });
  stops.push(async () => preparation[Symbol.dispose]());
  stopping.addEventListener('abort', () => preparation[Symbol.dispose]());
  const stores = await startStores(home, process.env, { say, onChange });
  stops.push(stores.stop);
  // From here on commands must not join a database that is about to go.
  stops.push(async () => lock.announce({ databaseUrl: undefined, address: undefined }));
  const { databaseUrl, redisUrl, ownsDatabase } = stores;
  stopping.throwIfAborted();
  const samplePage = await startSamplePage();
  stops.push(async () => samplePage[Symbol.asyncDispose]());

  const env = {
    ...givesMemoryBack,
    ...process.env,
    ...secrets,
    EGRESS_ALLOW: [process.env['EGRESS_ALLOW'], samplePage.allow].filter(Boolean).join(','),
    // It is on this machine, where no proxy can find it.
    ...(process.env['EGRESS_PROXY'] && {
      EGRESS_PROXY: `${process.env['EGRESS_PROXY']},${samplePage.allow}=direct`,
    }),
    QUARRY_HOME: home.path,
    NODE_COMPILE_CACHE: compileCache,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
  };
  const { firstKey, logToStdout, workerEnv } = await preparation.run({ env, home, ownsDatabase });
  if (ownsDatabase) lock.announce({ databaseUrl });
  stopping.throwIfAborted();

  const surroundings = { home, logToStdout, say, onChange };
  const launch = (
    name: string,
    script: string,
    args: string[],
    nodeOptions: string[] = [],
  ): SupervisedChild =>
    superviseChild(
      { name, script: join(sourceFolder, script), args, nodeOptions },
      { ...surroundings, env: name === 'api' ? env : { ...workerEnv, QUARRY_WORKER_ID: randomUUID() } },
    );
  const workers = [
    launch('worker-http', 'workers/main.ts', ['http', 'video', 'ai', 'seo']),
    launch('worker-browser', 'workers/main.ts', ['browser', 'review'], smallYoungGeneration),
  ];
  stops.push(async () => {
    await Promise.all(workers.map((worker) => worker.stop(workerGraceMs, hurry)));
  });
  const api = launch('api', 'api/main.ts', [], smallYoungGeneration);
  stops.push(() => api.stop(apiGraceMs, hurry));

  const url = await untilReady(api, workers, { home, say, signal: stopping });
  lock.announce({ address: url });
  const building = buildConsole(say);
  stops.push(async () => building[Symbol.asyncDispose]());
  console.log(
    readyMessage({
      url,
      firstKey,
      home,
      signIn: existsSync(passwordFileOf(home))
        ? `${ownerEmail}, password in ${passwordFileOf(home)}`
        : undefined,
      tryUrl: samplePage.url,
      databaseFolder: ownsDatabase ? databaseElsewhere(home) : undefined,
    }),
  );
}

function checkMachine(): void {
  if (process.platform === 'linux' && process.arch === 'x64') return;
  throw new StartError(
    `The one-command start runs on Linux x64; this is ${process.platform} ${process.arch}. Set DATABASE_URL and ` +
      'REDIS_URL and run the API and the workers yourself (see the Procfile).',
  );
}

async function takeHome(home: Home): Promise<HomeLock> {
  const lock = await waitUntil(() => {
    const free = tryLockHome(home, 'service');
    if (free) return free;
    const holder = findHolder(home);
    if (holder?.purpose !== 'service') return undefined;
    const where = holder.address ? `at ${holder.address}` : 'and is starting or stopping';
    throw new StartError(
      `Quarry already runs on ${home.path} (process ${holder.pid}) ${where}. Stop it with: kill ${holder.pid}. ` +
        'To run a second one beside it, set QUARRY_HOME to another folder.',
    );
  }, commandMayTakeMs);
  if (lock) return lock;
  throw new StartError(
    `An admin command (process ${findHolder(home)?.pid ?? 'unknown'}) has been using ${home.path} for more than ` +
      `${commandMayTakeMs / 1000} s. Wait for its end or stop it, then start again.`,
  );
}

function databaseElsewhere(home: Home): string | undefined {
  return lstatSync(home.postgresData).isSymbolicLink() ? realpathSync(home.postgresData) : undefined;
}

function say(line: string): void {
  console.error(line);
}

const stopping = new AbortController();
const hurry = new AbortController();
const requested = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
let firstSignalAt = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // One Ctrl-C arrives up to three times: from the terminal, from npm and from bin/with-node.mjs.
    if (stopping.signal.aborted && performance.now() - firstSignalAt > 500) hurry.abort();
    if (stopping.signal.aborted) return;
    firstSignalAt = performance.now();
    say('Stopping (Ctrl-C again to hurry) …');
    stopping.abort();
  });
}

const stops: Stops = [];
try {
  await start(stops, stopping.signal, hurry.signal);
  await requested;
} catch (error) {
  if (!stopping.signal.aborted) {
    process.exitCode = 1;
    const isForPeople = error instanceof StartError;
    say(isForPeople ? error.message : String((error as Error).stack ?? error));
  }
}
for (const stop of stops.toReversed()) {
  await stop().catch((error: unknown) => say(`While stopping: ${String(error)}`));
}
process.exit();
