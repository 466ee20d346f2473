import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHome } from '../../src/embedded/home.ts';
import { endProcess } from '../../src/embedded/processes.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { startRedis } from '../../src/embedded/redis.ts';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { migrate } from '../../src/shared/db/migrate.ts';
import { createUser, grantLicense } from '../../src/shared/db/users.ts';
import { createApiKey } from '../../src/shared/db/api-keys.ts';
import { createKeyCipher, type KeyCipher } from '../../src/shared/keys/key-cipher.ts';
import { createKeyText } from '../../src/shared/keys/key-text.ts';
import { stopWithUs } from './stop-with-us.ts';
import { hashPassword } from 'better-auth/crypto';

const project = join(import.meta.dirname, '../..');

export interface ApiProcess {
  url: string;
  process: ChildProcess;
}

export interface OwnedKey {
  key: string;
  id: string;
  userId: string;
  email: string;
}

/** Several API processes on one Postgres and one Redis of their own, without workers and without a supervisor. */
export interface ApiCluster extends AsyncDisposable {
  apis: ApiProcess[];
  db: Db;
  cipher: KeyCipher;
  redisUrl: string;
  env: Record<string, string>;
  /** All that the processes have printed. */
  readLog(): Promise<string>;
  startApi(env?: Record<string, string>): Promise<ApiProcess>;
  /** kill -9; what it held is gone. */
  killRedis(): Promise<void>;
  /** After `killRedis`: an empty one at the same address. */
  restartRedis(): Promise<void>;
  /** A user with a license of `rateLimit` and one key. `password` lets the user sign in. */
  createKey(rateLimit: number, password?: string): Promise<OwnedKey>;
}

export interface ApiClusterOptions {
  processes: number;
  env?: Record<string, string>;
  /** 32 bytes: version 1 of KEY_ENCRYPTION_KEYS. */
  encryptionKey?: Buffer;
}

export async function startApiCluster(options: ApiClusterOptions): Promise<ApiCluster> {
  const starting = start(options);
  stopWithUs(async () => (await starting)[Symbol.asyncDispose]());
  return await starting;
}

async function start(options: ApiClusterOptions): Promise<ApiCluster> {
  const { processes, env = {}, encryptionKey = randomBytes(32) } = options;
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(await mkdtemp(join(tmpdir(), 'quarry-cluster-')), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  await chmod(folder, 0o755);
  const home = openHome({ QUARRY_HOME: folder });
  const postgres = stack.adopt(await startPostgres(home), (it) => it.stop());
  let redis = await startRedis(home, process.env);
  stack.defer(() => redis.stop());
  await migrate(postgres.url);
  const db = stack.adopt(createDb({ url: postgres.url, poolSize: 4, onError: () => undefined }), (it) =>
    it.destroy(),
  );
  const cipher = createKeyCipher([{ version: 1, key: encryptionKey }]);
  const logFile = join(folder, 'apis.log');
  const log = createWriteStream(logFile, { flags: 'a' });
  await once(log, 'open');
  const clusterEnv = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    KEY_ENCRYPTION_KEYS: `1:${encryptionKey.toString('base64')}`,
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    LINK_SECRET: randomBytes(32).toString('base64url'),
    NODE_ENV: 'test',
    PORT: '0',
    DATABASE_POOL: '6',
    // Nobody runs the jobs that are accepted here.
    PENDING_JOBS_PER_USER: '1000000',
    QUEUE_BOUND: '1000000',
    ...env,
  };

  const children: ChildProcess[] = [];
  stack.defer(async () => {
    const running = children.filter((child) => child.exitCode === null && child.signalCode === null);
    const ended = running.map((child) => once(child, 'exit'));
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(ended);
    log.close();
  });
  async function startApi(more: Record<string, string> = {}): Promise<ApiProcess> {
    const child = fork(join(project, 'src/api/main.ts'), [], {
      env: { ...process.env, ...clusterEnv, ...more },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', log, log, 'ipc'],
    });
    children.push(child);
    const ended = once(child, 'exit').then(async () => {
      throw new Error(`The API did not start:\n${(await readFile(logFile, 'utf8')).slice(-3_000)}`);
    });
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }];
    ended.catch(() => undefined);
    return { url: message.url, process: child };
  }

  const apis = await Promise.all(Array.from({ length: processes }, () => startApi()));
  const owned = stack.move();
  let ending: Promise<void> | undefined;
  return {
    apis,
    db,
    cipher,
    redisUrl: redis.url,
    env: clusterEnv,
    readLog: () => readFile(logFile, 'utf8'),
    startApi,
    async killRedis() {
      await endProcess(redis.process, 'SIGKILL', 5_000);
      await rm(home.redisData, { recursive: true, force: true });
    },
    async restartRedis() {
      redis = await startRedis(home, process.env, redis.url);
    },
    async createKey(rateLimit, password) {
      const email = `${createKeyText().lookupId}@quarry.test`;
      const passwordHash = password === undefined ? null : await hashPassword(password);
      const user = await createUser(db, { email, name: 'Test', role: 'user', passwordHash });
      if (user === null) throw new Error(`${email} is taken`);
      const terms = {
        name: 'test',
        rateLimit,
        userRateLimit: rateLimit * 1_000,
        maxConcurrentJobs: 5,
        maxKeys: 1_000,
        maxTokensPerDay: null,
        validUntil: null,
      };
      await grantLicense(db, user.id, terms);
      const { row, text } = await createApiKey(db, cipher, {
        userId: user.id,
        name: 'Test',
        rateLimit,
        userRateLimit: rateLimit * 1_000,
        expiresAt: null,
      });
      return { key: text, id: row.id, userId: user.id, email: user.email };
    },
    [Symbol.asyncDispose]: () => (ending ??= owned.disposeAsync()),
  };
}
