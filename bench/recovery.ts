import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { environmentOf, pidOf } from '../test/support/processes.ts';
import { startService } from '../test/support/service.ts';
import { median, quantile } from './measure.ts';
import { tellFigure } from './figures.ts';

/** From a kill -9 of a worker in the middle of a job to the job's next start, with the supervisor's restart. */
const kills = 30;

const service = await startService({
  env: { NODE_ENV: 'production', EXTENSIONS: join(import.meta.dirname, '../test/support/operations') },
});
const pool = new Pool({ connectionString: environmentOf(service)['DATABASE_URL'] ?? '', max: 2 });

async function submit(ms: number): Promise<string> {
  const response = await fetch(new URL('/api/proxy/test/v1/noop', service.url), {
    method: 'POST',
    headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json', Prefer: 'respond-async' },
    body: JSON.stringify({ ms }),
  });
  return ((await response.json()) as { data: { id: string } }).data.id;
}

async function untilAttempt(id: string, attempts: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ attempts: number }>('select attempts from jobs where id = $1', [id]);
    if ((rows[0]?.attempts ?? 0) >= attempts) return;
    await sleep(10);
  }
}

try {
  const delays: number[] = [];
  for (let n = 0; n < kills; n++) {
    const id = await submit(1_500);
    await untilAttempt(id, 1);
    process.kill(pidOf(service, 'worker-http'), 'SIGKILL');
    const start = performance.now();
    await untilAttempt(id, 2);
    delays.push(performance.now() - start);
    await sleep(2_000);
  }
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  console.log(`kill -9 of a worker to the next start of its job, ${kills} times, on ${service.redis}`);
  tellFigure({ what: 'kill -9 to restart, p99', value: quantile(delays, 0.99) / 1_000, unit: 's' });
  console.log(`  p50 ${seconds(median(delays))}   p99 ${seconds(quantile(delays, 0.99))}`);
} finally {
  await pool.end();
  await service.stop();
}
