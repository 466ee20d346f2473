import { once } from 'node:events';
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { findApiKeysByLookupId } from '../src/shared/db/api-keys.ts';
import { parseKeyText } from '../src/shared/keys/key-text.ts';
import { createId } from '../src/shared/ids.ts';
import { createRedis } from '../src/shared/redis.ts';
import { createAllowances } from '../src/shared/usage/allowance.ts';
import { startApiCluster } from '../test/support/api-cluster.ts';
import { quantile, timeOf } from './measure.ts';
import { tellFigure } from './figures.ts';

/**
 * What counting adds to a proxy request, one request at a time and in turns: the parts by themselves, and the
 * whole of an accepted request (key, window, record, job) against a bare Koa route that does one look-up by id.
 */
const rounds = 500;

await using cluster = await startApiCluster({ processes: 1, env: { NODE_ENV: 'production' } });
const [api] = cluster.apis;
if (api === undefined) throw new Error('no API process');
const owned = await cluster.createKey(100_000);
const full = await cluster.createKey(1_000);
const redis = createRedis({
  urls: [cluster.redisUrl],
  isCluster: false,
  onError: () => undefined,
  blocking: true,
});
const allowances = createAllowances(redis, cluster.db);
const useOf = ({ id, userId }: { id: string; userId: string }) => ({
  allowanceId: id,
  keyId: id,
  userId,
  operation: 'web.scrape',
  jobId: createId(),
});
const take = async (who: { id: string; userId: string }, perKey: number) => {
  const use = useOf(who);
  await allowances.take(use, { perKey, perUser: 1_000_000 });
  allowances.settled(use.jobId);
};
for (let n = 0; n < 1_000; n++) await take(full, 1_000);
const bare = fork(join(import.meta.dirname, 'bare-lookup.ts'), {
  env: { ...process.env, DATABASE_URL: cluster.env['DATABASE_URL'] },
});
const [{ url: bareUrl }] = (await once(bare, 'message')) as [{ url: string }];
const lookupId = parseKeyText(owned.key)?.lookupId ?? '';

async function read(url: string, init: RequestInit, expected: number): Promise<void> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (response.status !== expected) throw new Error(`${url} answered ${response.status}: ${text}`);
}

const measured: Record<string, () => Promise<unknown>> = {
  'Redis PING': () => redis.ping(),
  'take one use, idle window': () => take(owned, 100_000),
  'take one use, window full of 1,000': () => take(full, 1_000),
  'find the key in Postgres': () => findApiKeysByLookupId(cluster.db, [lookupId]),
  'bare Koa route, one look-up': () => read(`${bareUrl}/${owned.id}`, {}, 200),
  'POST /api/keys/validate': () =>
    read(`${api.url}/api/keys/validate`, { method: 'POST', headers: { 'X-API-Key': owned.key } }, 200),
  'POST scrape until it is accepted (202)': () =>
    read(
      `${api.url}/api/proxy/web/v1/scrape`,
      {
        method: 'POST',
        headers: {
          'X-API-Key': owned.key,
          'Content-Type': 'application/json',
          Prefer: 'respond-async',
        },
        body: '{"url":"https://example.com/"}',
      },
      202,
    ),
};
const samples = new Map<string, number[]>(Object.keys(measured).map((name) => [name, []]));
for (let round = -20; round < rounds; round++) {
  for (const [name, run] of Object.entries(measured)) {
    const ms = await timeOf(run);
    if (round >= 0) samples.get(name)?.push(ms);
  }
}
console.log(`milliseconds, one at a time, ${rounds} rounds in turns`);
for (const [name, values] of samples) {
  tellFigure({ what: `${name}, p50`, value: quantile(values, 0.5), unit: 'ms' });
  console.log(
    `  ${name.padEnd(42)} p50 ${quantile(values, 0.5).toFixed(2)}   p99 ${quantile(values, 0.99).toFixed(2)}`,
  );
}
redis.disconnect();
bare.disconnect();
