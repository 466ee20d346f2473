import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';

/**
 * What the design of a job cannot avoid, and nothing else: a row inserted, claimed and ended in Postgres, each
 * committed, and one BullMQ job. In one process, where the end is known at once; or with a worker process of its
 * own, as ours has, that tells the end by pub/sub.
 */
export interface BareLoop extends AsyncDisposable {
  job(): Promise<void>;
}

export interface Servers {
  databaseUrl: string;
  redisUrl: string;
}

const queueName = 'bare';
const endedChannel = 'bare:ended';

function connect({ databaseUrl, redisUrl }: Servers) {
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const options = { connection: redis as ConnectionOptions, prefix: 'bench' };
  return { pool: new Pool({ connectionString: databaseUrl, max: 12 }), redis, options };
}

async function startWorker(servers: Servers, onEnd: (id: string, redis: Redis) => unknown) {
  const { pool, redis, options } = connect(servers);
  const worker = new Worker<{ id: string }>(
    queueName,
    async ({ data: { id } }) => {
      await pool.query("update bench_rows set status = 'running' where id = $1 and status = 'queued'", [id]);
      await pool.query(
        "update bench_rows set status = 'succeeded', result = '{}' where id = $1 and status = 'running'",
        [id],
      );
      await onEnd(id, redis);
    },
    { ...options, concurrency: 32 },
  );
  await worker.waitUntilReady();
  return async () => {
    await worker.close();
    redis.disconnect();
    await pool.end();
  };
}

async function forkWorker(servers: Servers) {
  const child = fork(import.meta.filename, [servers.databaseUrl, servers.redisUrl]);
  await once(child, 'message');
  return async () => {
    const exit = once(child, 'exit');
    child.disconnect();
    await exit;
  };
}

export async function startBareLoop(servers: Servers, { twoProcesses = false } = {}): Promise<BareLoop> {
  const { pool, redis, options } = connect(servers);
  await pool.query(
    'create table if not exists bench_rows (id uuid primary key, status text not null, result text)',
  );
  const queue = new Queue<{ id: string }>(queueName, { ...options, streams: { events: { maxLen: 200 } } });
  const waiting = new Map<string, () => void>();
  const end = (id: string) => {
    waiting.get(id)?.();
    waiting.delete(id);
  };
  const subscriber = redis.duplicate();
  await subscriber.subscribe(endedChannel);
  subscriber.on('message', (_channel, id: string) => end(id));
  const stopWorker = await (twoProcesses ? forkWorker(servers) : startWorker(servers, end));
  return {
    async job() {
      const id = randomUUID();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(id, resolve);
      await pool.query("insert into bench_rows (id, status) values ($1, 'queued')", [id]);
      await queue.add('row', { id }, { jobId: id, removeOnComplete: true, removeOnFail: true });
      await promise;
    },
    async [Symbol.asyncDispose]() {
      await stopWorker();
      await queue.close();
      subscriber.disconnect();
      redis.disconnect();
      await pool.end();
    },
  };
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const [, , databaseUrl = '', redisUrl = ''] = process.argv;
  const stop = await startWorker({ databaseUrl, redisUrl }, (id, redis) => redis.publish(endedChannel, id));
  process.once('disconnect', () => void stop());
  process.send('ready');
}
