import { expect, test } from 'vitest';
import { coalesce } from '../../src/shared/coalesce.ts';

test('look-ups that arrive together share one visit, and equal ones one key', async () => {
  const visits: (readonly string[])[] = [];
  const find = coalesce((keys) => {
    visits.push(keys);
    return Promise.resolve(new Map(keys.map((key) => [key, key.toUpperCase()])));
  });
  expect(await Promise.all(['a', 'b', 'a'].map(find))).toEqual(['A', 'B', 'A']);
  expect(visits).toEqual([['a', 'b']]);
});

test('what is not found is undefined', async () => {
  expect(await coalesce(() => Promise.resolve(new Map()))('a')).toBeUndefined();
});

test('a look-up is never answered by a visit that began before it was asked', async () => {
  let stored = 'old';
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let visit = 0;
  const find = coalesce(async (keys) => {
    const seen = stored;
    await gates[visit++]?.promise;
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

test('where Postgres is away, those that wait for the next visit fail with the one under way', async () => {
  const away = Object.assign(new Error('It hung'), { code: 'ECONNRESET' });
  const first = Promise.withResolvers<Map<string, number>>();
  const never = new Promise<Map<string, number>>(() => undefined);
  let visits = 0;
  const find = coalesce(() => (visits++ === 0 ? first.promise : never));
  const failures: Promise<unknown>[] = [];
  for (const key of ['a', 'b', 'c']) {
    failures.push(find(key).catch((error: unknown) => error));
    await new Promise(setImmediate);
  }
  first.reject(away);
  expect([await failures[0], await failures[2]]).toEqual([away, away]);
  expect(visits).toBe(2);
});

test('a visit that fails fails its own look-ups only', async () => {
  let broken = true;
  const find = coalesce((keys) =>
    broken ? Promise.reject(new Error('away')) : Promise.resolve(new Map(keys.map((key) => [key, 1]))),
  );
  await expect(find('a')).rejects.toThrow('away');
  broken = false;
  expect(await find('a')).toBe(1);
});
