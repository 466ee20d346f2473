import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { findCachedCopy, keepCopy, sweepCopies } from '../../src/shared/db/page-cache.ts';
import { environmentOf } from '../support/processes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let db: Db;
beforeAll(async () => {
  service = await startService();
  const url = environmentOf(service)['DATABASE_URL'] ?? '';
  db = createDb({ url, poolSize: 2, onError: () => undefined });
});
afterAll(async () => {
  await db.destroy();
  await service.stop();
});

const day = 86_400_000;
const keep = async (bytes: number, ageMs = 0) => {
  const key = randomBytes(32);
  await keepCopy(db, key, randomBytes(bytes));
  const storedAt = new Date(Date.now() - ageMs);
  await db.updateTable('page_cache').set({ stored_at: storedAt }).where('key', '=', key).execute();
  return key;
};
const isKept = async (key: Buffer) => (await findCachedCopy(db, key, day)) !== undefined;

test('past its bound the cache loses its oldest copies, and what is a day old goes anyway', async () => {
  const keys = [
    await keep(1_000, 4_000),
    await keep(1_000, 3_000),
    await keep(1_000, 2_000),
    await keep(1_000, 1_000),
  ];
  const old = await keep(10, 2 * day);
  expect(await sweepCopies(db, { maxAgeMs: day, maxBytes: 2_500 })).toBe(3);
  expect(await Promise.all(keys.map(isKept))).toEqual([false, false, true, true]);
  expect(await isKept(old)).toBe(false);
});

test('a newer copy of the same page takes the place of the older one', async () => {
  const key = await keep(100, 60_000);
  expect(await findCachedCopy(db, key, 30_000)).toBeUndefined();
  await keepCopy(db, key, Buffer.from('new'));
  const found = await findCachedCopy(db, key, 30_000);
  expect(found?.copy.toString()).toBe('new');
  expect(found?.ageMs).toBeLessThan(10_000);
});
