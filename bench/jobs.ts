import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { environmentOf } from '../test/support/processes.ts';
import { startService } from '../test/support/service.ts';
import { median, quantile, rateOf, timeOf } from './measure.ts';
import { post } from './request.ts';

/**
 * Jobs that do nothing, a second, from the request to its answer, through one API and one worker process;
 * against a bare loop that does only what the design cannot avoid: a row inserted, claimed and ended in
 * Postgres, each committed, and one BullMQ job. Both on the same Postgres and Redis, in turns.
 */
const jobs = 600;
const rounds = 5;
const warmUp = 1_500;

const service = await startService({
  env: {
    NODE_ENV: 'production',
    EXTENSIONS: join(import.meta.dirname, '../test/support/operations'),
    PLANS: JSON.stringify({ scale: { rateLimit: 1_000_000, maxConcurrentJobs: 64, maxKeys: 50 } }),
  },
});
const { DATABASE_URL: databaseUrl = '', REDIS_URL: redisUrl = '' } = environmentOf(service);
const pool = new Pool({ connectionString: databaseUrl, max: 12 });
const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
await pool.query('create table bench_rows (id uuid primary key, status text not null, result text)');

const options = { connection: connection as ConnectionOptions, prefix: 'bench' };
const queue = new Queue<{ id: string }>('bare', { ...options, streams: { events: { maxLen: 200 } } });
const waiting = new Map<string, () => void>();
const worker = new Worker<{ id: string }>(
  'bare',
  async ({ data: { id } }) => {
    await pool.query("update bench_rows set status = 'running' where id = $1 and status = 'queued'", [id]);
    await pool.query(
      "update bench_rows set status = 'succeeded', result = '{}' where id = $1 and status = 'running'",
      [id],
    );
    waiting.get(id)?.();
    waiting.delete(id);
  },
  { ...options, concurrency: 32 },
);
await worker.waitUntilReady();

async function bareJob(): Promise<void> {
  const id = randomUUID();
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.set(id, resolve);
  await pool.query("insert into bench_rows (id, status) values ($1, 'queued')", [id]);
  await queue.add('row', { id }, { jobId: id, removeOnComplete: true, removeOnFail: true });
  await promise;
}
const throughApi = () => post(service, '/api/proxy/test/v1/noop', {});

try {
  // Until both are compiled: what is compared is what they come to, not how quickly.
  await rateOf(warmUp, 8, bareJob);
  await rateOf(warmUp, 8, throughApi);
  console.log(`no-op jobs a second, median of ${rounds} rounds in turns, on ${service.redis}`);
  for (const concurrency of [1, 32]) {
    const count = concurrency === 1 ? jobs / 4 : jobs;
    const samples = [];
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      samples.push({
        bare: await rateOf(count, concurrency, bareJob),
        through: await rateOf(count, concurrency, async () => void times.push(await timeOf(throughApi))),
      });
    }
    const figures = [
      `bare ${median(samples.map((sample) => sample.bare)).toFixed(0)}/s`,
      `through the API ${median(samples.map((sample) => sample.through)).toFixed(0)}/s`,
      `ratio ${median(samples.map((sample) => sample.through / sample.bare)).toFixed(2)}`,
      `request to answer p50 ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
    ];
    console.log(`  ${concurrency} in flight: ${figures.join('   ')}`);
  }
} finally {
  await worker.close();
  await queue.close();
  connection.disconnect();
  await pool.end();
  await service.stop();
}
