import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createUserGate, laneOf } from '../../src/api/user-gate.ts';

const here = new AbortController().signal;

test('of one caller eight are worked on at a time, and others do not wait for them', async () => {
  const gate = createUserGate();
  const over = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++running);
    await over.promise;
    running--;
  };
  const all = Array.from({ length: 100 }, () => gate.run('a', here, work));
  await gate.run('b', here, nextTurn);
  expect(most).toBe(8);
  over.resolve();
  await Promise.all(all);
  expect(most).toBe(8);
});

test('who only waits keeps nobody out', async () => {
  const gate = createUserGate();
  const over = Promise.withResolvers<string>();
  const waiting = Array.from({ length: 200 }, () =>
    gate.run('a', here, (turn) => turn.pause(() => over.promise)),
  );
  expect(await gate.run('a', here, async () => 'done')).toBe('done');
  over.resolve('ended');
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['ended']));
});

test('past a thousand that wait the user is told so, until they are fewer', async () => {
  const gate = createUserGate();
  const over = Promise.withResolvers<void>();
  const all = Array.from({ length: 1_008 }, () => gate.run('a', here, () => over.promise));
  await expect(gate.run('a', here, nextTurn)).rejects.toMatchObject({
    code: 'overloaded',
    retryAfterSeconds: 1,
  });
  await gate.run('b', here, nextTurn);
  over.resolve();
  await Promise.all(all);
  await gate.run('a', here, nextTurn);
  await expect(gate.run('a', here, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('who has gone leaves the line, and is not worked for', async () => {
  const gate = createUserGate();
  const over = Promise.withResolvers<void>();
  const running = Array.from({ length: 8 }, () => gate.run('a', here, () => over.promise));
  const gone = new AbortController();
  const work = () => Promise.reject(new Error('is worked for'));
  const left = Array.from({ length: 1_000 }, () => gate.run('a', gone.signal, work).catch(String));
  gone.abort('gone');
  expect(new Set(await Promise.all(left))).toEqual(new Set(['gone']));
  await expect(gate.run('b', gone.signal, work)).rejects.toBe('gone');
  const next = gate.run('a', here, async () => 'done');
  over.resolve();
  expect(await next).toBe('done');
  await Promise.all(running);
});

test('who comes back from a pause goes first, and is none of those that wait', async () => {
  const gate = createUserGate();
  const [waited, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const order: string[] = [];
  const paused = Array.from({ length: 100 }, () =>
    gate.run('a', here, async ({ pause }) => {
      await pause(() => pause(() => waited.promise));
      order.push('back');
    }),
  );
  await nextTurn();
  const running = Array.from({ length: 8 }, () => gate.run('a', here, () => over.promise));
  const fresh = () => gate.run('a', here, async () => void order.push('new'));
  const waiting = Array.from({ length: 999 }, fresh);
  waited.resolve();
  await nextTurn();
  waiting.push(fresh());
  await expect(fresh()).rejects.toMatchObject({ code: 'overloaded' });
  over.resolve();
  await Promise.all([...paused, ...running, ...waiting]);
  // Eight are worked on at a time.
  expect(order.indexOf('new')).toBeGreaterThan(100 - 8);
});

test('each key is a caller of its own, and so is who is signed in', () => {
  const [one, other] = [laneOf({ userId: 'u', keyId: 'k' }), laneOf({ userId: 'u', keyId: 'l' })];
  const session = laneOf({ userId: 'u' });
  expect(new Set([one, other, session]).size).toBe(3);
  expect(laneOf({ userId: 'u', keyId: null })).toBe(session);
});
