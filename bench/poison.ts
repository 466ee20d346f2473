import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { environmentOf } from '../test/support/processes.ts';
import { startService } from '../test/support/service.ts';
import { tellFigure } from './figures.ts';
import { median } from './measure.ts';

/**
 * Ten jobs at once that kill their worker, and twenty beside them that take three seconds: until each is given up, and
 * until each has succeeded.
 */
const rounds = Number(process.argv[2] ?? 3);
const innocentMs = 3_000;
const giveUpWithinMs = 180_000;

const service = await startService({
  env: { NODE_ENV: 'production', EXTENSIONS: join(import.meta.dirname, '../test/support/operations') },
});
const pool = new Pool({ connectionString: environmentOf(service)['DATABASE_URL'] ?? '', max: 1 });

async function submit(path: string, body: object): Promise<string> {
  const response = await fetch(new URL(`/api/proxy/test/v1/${path}`, service.url), {
    method: 'POST',
    headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json', Prefer: 'respond-async' },
    body: JSON.stringify(body),
  });
  return ((await response.json()) as { data: { id: string } }).data.id;
}

interface Ended {
  operation: string;
  status: string;
  /** From its acceptance; null before its end. */
  seconds: number | null;
}

async function untilEnded(ids: readonly string[]): Promise<Ended[]> {
  const giveUpAt = performance.now() + giveUpWithinMs;
  for (;;) {
    const { rows } = await pool.query<Ended>(
      `select operation, status, extract(epoch from finished_at - created_at)::float8 as seconds
       from jobs where id = any($1)`,
      [ids],
    );
    if (rows.every(({ seconds }) => seconds !== null) || performance.now() > giveUpAt) return rows;
    await sleep(250);
  }
}

const worst = { poison: [] as number[], innocent: [] as number[] };
try {
  console.log(
    `ten jobs that kill their worker, twenty of ${innocentMs / 1_000} s beside them, on ${service.redis}`,
  );
  for (let round = 0; round < rounds; round++) {
    // What a round has left to end is over by then.
    await sleep(3_000);
    const kinds = Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? 'poison' : 'noop'));
    const ended = await untilEnded(
      await Promise.all(kinds.map((kind) => submit(kind, kind === 'poison' ? {} : { ms: innocentMs }))),
    );
    const secondsOf = (operation: string, status: string) => {
      const own = ended.filter((job) => job.operation === operation);
      if (own.some((job) => job.status !== status))
        throw new Error(`Of ${operation}: ${own.map((job) => job.status).join(', ')}`);
      return own.map(({ seconds }) => seconds ?? NaN);
    };
    const poison = secondsOf('test.poison', 'failed');
    const innocent = secondsOf('test.noop', 'succeeded');
    const show = (seconds: number[]) =>
      `median ${median(seconds).toFixed(1)} s, last ${Math.max(...seconds).toFixed(1)} s`;
    console.log(`  given up: ${show(poison)}   beside them: ${show(innocent)}`);
    worst.poison.push(Math.max(...poison));
    worst.innocent.push(Math.max(...innocent));
  }
  tellFigure({ what: 'last of ten poison jobs given up', value: Math.max(...worst.poison), unit: 's' });
  tellFigure({ what: 'last of twenty jobs beside them', value: Math.max(...worst.innocent), unit: 's' });
} finally {
  await pool.end();
  await service.stop();
}
