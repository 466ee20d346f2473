import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startApiCluster } from '../test/support/api-cluster.ts';
import { requestRate } from './load.ts';
import { median } from './measure.ts';
import { tellFigure } from './figures.ts';

/**
 * Key validations a second against a bare Koa route that does one Postgres look-up by id, in turns on the same
 * machine, each server one process of its own.
 */
const rounds = 5;
const seconds = 3;
const connections = 32;

await using cluster = await startApiCluster({
  processes: 1,
  env: { NODE_ENV: 'production', DATABASE_POOL: '12' },
});
const [api] = cluster.apis;
if (api === undefined) throw new Error('no API process');
// A key for each connection: what one look-up shares with another is the round trip, not the answer.
const keys = await Promise.all(Array.from({ length: connections }, () => cluster.createKey(1_000)));
const bare = fork(join(import.meta.dirname, 'bare-lookup.ts'), {
  env: { ...process.env, DATABASE_URL: cluster.env['DATABASE_URL'] },
});
const [{ url }] = (await once(bare, 'message')) as [{ url: string }];
const baseline = keys.map(({ id }) => ({ url, method: 'GET' as const, path: `/${id}` }));
const validate = keys.map(({ key }) => ({
  url: api.url,
  method: 'POST' as const,
  path: '/api/keys/validate',
  headers: { 'X-API-Key': key },
}));
try {
  const rates: { bare: number; validate: number }[] = [];
  for (let round = -1; round < rounds; round++) {
    const pair = {
      bare: await requestRate(baseline, { connections, seconds }),
      validate: await requestRate(validate, { connections, seconds }),
    };
    if (round >= 0) rates.push(pair); // the first round warms up
  }
  const ratios = rates.map((pair) => pair.validate / pair.bare);
  tellFigure({
    what: `keys validated, ${connections} connections`,
    value: median(rates.map((pair) => pair.validate)),
    unit: '/s',
    baseline: median(rates.map((pair) => pair.bare)),
  });
  console.log(
    `requests a second, ${connections} connections, median of ${rounds} rounds of ${seconds} s in turns`,
  );
  console.log(`  bare Koa route, one look-up   ${median(rates.map((pair) => pair.bare)).toFixed(0)}`);
  console.log(`  POST /api/keys/validate       ${median(rates.map((pair) => pair.validate)).toFixed(0)}`);
  console.log(
    `  ratio                         ${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`,
  );
} finally {
  bare.disconnect();
}
