import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commands } from '../../src/admin/commands.ts';
import { withDatabase } from '../../src/embedded/with-database.ts';
import { readAccountConfig } from '../../src/shared/config.ts';
import { createDb } from '../../src/shared/db/client.ts';
import { stopWithUs } from './stop-with-us.ts';

const project = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The default plans, one of one job at a time, and some whose allowance is soon used up: of requests, of tokens. */
const testPlans = JSON.stringify({
  free: { rateLimit: 100, maxConcurrentJobs: 2, maxKeys: 2 },
  pro: { rateLimit: 1_000, maxConcurrentJobs: 10, maxKeys: 10 },
  scale: { rateLimit: 10_000, maxConcurrentJobs: 50, maxKeys: 50 },
  single: { rateLimit: 100, maxConcurrentJobs: 1, maxKeys: 2 },
  tiny: { rateLimit: 3, maxConcurrentJobs: 2, maxKeys: 2 },
  frugal: { rateLimit: 100, maxConcurrentJobs: 10, maxKeys: 2, maxTokensPerDay: 4_000 },
});

/** A whole Quarry of its own: the embedded start in a data folder that is deleted with it. */
export interface Service {
  url: string;
  /** The ready key that the first start made. */
  key: string;
  home: string;
  /** Which Redis it runs on. */
  redis: string;
  /** Everything that the start has printed. */
  output: () => string;
  /** Runs `npm run admin`'s program and answers its JSON. */
  admin: (...args: string[]) => Promise<Record<string, unknown>>;
  stop(): Promise<void>;
  process: ChildProcess;
}

export interface ServiceOptions {
  env?: Record<string, string>;
  /** An existing home; it is then not deleted. */
  home?: string;
}

const startWithinMs = 120_000;

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const home = options.home ?? (await createTestHome());
  const env = {
    ...process.env,
    QUARRY_HOME: home,
    NODE_ENV: 'test',
    PLANS: testPlans,
    PORT: '0',
    // The fixture sites are on loopback; every other private address stays closed.
    EGRESS_ALLOW: '127.0.0.0/8',
    ...options.env,
  };
  const { child, output, ready } = launch(env);
  async function stop(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    if (options.home === undefined) await rm(home, { recursive: true, force: true });
  }
  stopWithUs(stop);
  const [url, key] = await ready
    .then(
      async () =>
        [found(output(), /ready at (\S+)/), (await readFile(join(home, 'key'), 'utf8')).trim()] as const,
    )
    .catch(async (error: unknown) => {
      await stop();
      throw error;
    });
  return {
    url,
    key,
    home,
    process: child,
    redis: !('REDIS_URL' in env) ? await embeddedRedisOf(home) : 'REDIS_URL',
    output,
    async admin(...args) {
      const { stdout } = await run(process.execPath, ['src/admin/main.ts', ...args, '--json'], {
        cwd: project,
        env,
      });
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    stop,
  };
}

function launch(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/embedded/main.ts'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Ctrl-C')) resolve();
    });
  }
  child.once('close', (code) => reject(new Error(`The start ended with ${code}:\n${output}`)));
  const timer = setTimeout(() => reject(new Error(`Not ready in time:\n${output}`)), startWithinMs);
  return { child, output: () => output, ready: promise.finally(() => clearTimeout(timer)) };
}

function found(output: string, pattern: RegExp): string {
  const part = pattern.exec(output)?.[1];
  if (part === undefined) throw new Error(`The start did not print ${pattern.source}:\n${output}`);
  return part;
}

/** Which of the embedded start's Redis servers runs, by its own word. */
async function embeddedRedisOf(home: string): Promise<string> {
  const log = await readFile(join(home, 'logs', 'redis.log'), 'utf8').catch(() => '');
  return /Redis version=|Valkey version=/i.exec(log) === null ? 'js-redis-server' : 'redis-server';
}

/** Runs the administration program on a home and answers its JSON. */
export async function runAdmin(home: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(process.execPath, ['src/admin/main.ts', ...args, '--json'], {
    cwd: project,
    env: { ...process.env, QUARRY_HOME: home, PLANS: testPlans },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** A new user with a license and a key, by the commands of the administration, here: a process of each takes seconds. */
export async function createTestKey(
  home: string,
  plan: string,
): Promise<{ key: string; id: string; userId: string }> {
  const env = { ...process.env, QUARRY_HOME: home, PLANS: testPlans };
  const email = `${plan}-${randomUUID()}@quarry.test`;
  return await withDatabase(env, async ({ databaseUrl, secrets }) => {
    const db = createDb({ url: databaseUrl, poolSize: 1, onError: () => undefined });
    try {
      const context = { db, databaseUrl, config: readAccountConfig({ ...env, ...secrets }) };
      await commands['user create']?.run(context, { email });
      await commands['license grant']?.run(context, { email, plan });
      const created = await commands['key create']?.run(context, { email, name: 'Test' });
      return created?.json as { key: string; id: string; userId: string };
    } finally {
      await db.destroy();
    }
  });
}

/** Root's Postgres runs as another user, who must be able to walk through the folder. */
export async function createTestHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'quarry-test-'));
  await chmod(home, 0o755);
  return home;
}

/** All that the processes of a home have logged so far. */
export async function readServiceLogs(home: string): Promise<string> {
  const names = ['api', 'worker-http', 'worker-browser'];
  const logs = await Promise.all(names.map((name) => readFile(join(home, 'logs', `${name}.log`), 'utf8')));
  return logs.join('');
}
