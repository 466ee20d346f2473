import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHome } from '../../src/embedded/home.ts';
import { startRedis } from '../../src/embedded/redis.ts';
import { createCircuitStore, listOpenCircuits } from '../../src/shared/video/circuits.ts';

const folder = mkdtempSync(join(tmpdir(), 'quarry-circuits-'));
let server: Awaited<ReturnType<typeof startRedis>>;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis(openHome({ QUARRY_HOME: folder }), process.env);
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('an open circuit is told until its time, and those of the past are forgotten', async () => {
  const circuits = createCircuitStore(redis);
  const soon = Date.now() + 60_000;
  for (let n = 0; n < 50; n++) await circuits.open(`peertube past-${n}.test`, Date.now() - 1_000);
  await circuits.open('youtube', soon);
  expect(await circuits.openUntil('youtube')).toBe(soon);
  expect(await circuits.openUntil('vimeo')).toBe(0);
  expect(await listOpenCircuits(redis)).toEqual(new Map([['youtube', new Date(soon)]]));
  const keys = (await redis.keys('*open-circuits*'))[0] ?? '';
  expect(await redis.zcard(keys)).toBe(1);

  await circuits.countFailure('youtube', 60);
  await circuits.close('youtube');
  expect(await circuits.openUntil('youtube')).toBe(0);
});
