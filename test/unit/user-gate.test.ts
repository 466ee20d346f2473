import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createUserGate } from '../../src/api/user-gate.ts';

test('of one user eight are worked on at a time, and others do not wait for them', async () => {
  const gate = createUserGate();
  const over = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++running);
    await over.promise;
    running--;
  };
  const all = Array.from({ length: 100 }, () => gate.run('a', work));
  await gate.run('b', nextTurn);
  expect(most).toBe(8);
  over.resolve();
  await Promise.all(all);
  expect(most).toBe(8);
});

test('who only waits keeps nobody out', async () => {
  const gate = createUserGate();
  const over = Promise.withResolvers<string>();
  const waiting = Array.from({ length: 200 }, () => gate.run('a', (turn) => turn.pause(() => over.promise)));
  expect(await gate.run('a', async () => 'done')).toBe('done');
  over.resolve('ended');
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['ended']));
});

test('past a thousand that wait the user is told so, until they are fewer', async () => {
  const gate = createUserGate();
  const over = Promise.withResolvers<void>();
  const all = Array.from({ length: 1_008 }, () => gate.run('a', () => over.promise));
  await expect(gate.run('a', nextTurn)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 });
  await gate.run('b', nextTurn);
  over.resolve();
  await Promise.all(all);
  await gate.run('a', nextTurn);
  await expect(gate.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
