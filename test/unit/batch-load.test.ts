import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { batchLoad } from '../../src/shared/batch-load.ts';

test('look-ups that arrive together share one load, and equal ones one key', async () => {
  const loads: (readonly string[])[] = [];
  const find = batchLoad((keys) => {
    loads.push(keys);
    return Promise.resolve(new Map(keys.map((key) => [key, key.toUpperCase()])));
  });
  expect(await Promise.all(['a', 'b', 'a'].map(find))).toEqual(['A', 'B', 'A']);
  expect(loads).toEqual([['a', 'b']]);
});

test('what is not found is undefined', async () => {
  expect(await batchLoad(() => Promise.resolve(new Map()))('a')).toBeUndefined();
});

test('a look-up is never answered by a load that began before it was asked', async () => {
  let stored = 'old';
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let load = 0;
  const find = batchLoad(async (keys) => {
    const seen = stored;
    await gates[load++]?.promise;
    return new Map(keys.map((key) => [key, seen]));
  });
  const before = find('a');
  await new Promise(setImmediate);
  stored = 'new';
  const after = find('a');
  for (const gate of gates) gate.resolve();
  expect(await before).toBe('old');
  expect(await after).toBe('new');
});

const gone = Object.assign(new Error('It is gone'), { code: 'ECONNRESET' });

/** Two look-ups are under way and one waits when the first fails. @returns what the first and the last come to. */
async function failFirst(before: Promise<unknown>): Promise<unknown[]> {
  const first = Promise.withResolvers<Map<string, string>>();
  const second = new Promise<Map<string, string>>(() => undefined);
  const loads = [first.promise, second, Promise.resolve(new Map([['c', 'found']]))];
  const find = batchLoad(() => loads.shift() ?? second);
  const outcomes: Promise<unknown>[] = [];
  for (const key of ['a', 'b', 'c']) {
    outcomes.push(find(key).catch((error: unknown) => error));
    await new Promise(setImmediate);
  }
  await before;
  first.reject(gone);
  return [await outcomes[0], await outcomes[2]];
}

test('where one connection to Postgres breaks, those that wait are looked up all the same', async () => {
  expect(await failFirst(Promise.resolve())).toEqual([gone, 'found']);
});

test('where Postgres is silent, those that wait for the next load fail with the one under way', async () => {
  expect(await failFirst(sleep(1_100))).toEqual([gone, gone]);
});

test('a load that fails fails its own look-ups only', async () => {
  let broken = true;
  const find = batchLoad((keys) =>
    broken ? Promise.reject(new Error('away')) : Promise.resolve(new Map(keys.map((key) => [key, 1]))),
  );
  await expect(find('a')).rejects.toThrow('away');
  broken = false;
  expect(await find('a')).toBe(1);
});

test('a load has a bound, and look-ups past it share the next ones', async () => {
  const loads: number[] = [];
  const find = batchLoad((keys) => {
    loads.push(keys.length);
    return Promise.resolve(new Map(keys.map((key) => [key, key])));
  }, 16);
  const keys = Array.from({ length: 100 }, (_, n) => `${n}`);
  expect(await Promise.all(keys.map(find))).toEqual(keys);
  expect(Math.max(...loads)).toBeLessThanOrEqual(16);
  expect(loads.reduce((sum, size) => sum + size, 0)).toBe(100);
});
