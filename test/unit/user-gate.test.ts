import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createUserGate, requesterOf } from '../../src/api/user-gate.ts';

const here = new AbortController().signal;
const a = { caller: 'a', by: 'a key' };
const b = { caller: 'b', by: 'another' };

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
  const all = Array.from({ length: 100 }, () => gate.run(a, here, work));
  await gate.run(b, here, nextTurn);
  expect(most).toBe(8);
  over.resolve();
  await Promise.all(all);
  expect(most).toBe(8);
});

test('who only waits keeps nobody out', async () => {
  const gate = createUserGate();
  const over = Promise.withResolvers<string>();
  const waiting = Array.from({ length: 200 }, () =>
    gate.run(a, here, (turn) => turn.pause(() => over.promise)),
  );
  expect(await gate.run(a, here, async () => 'done')).toBe('done');
  over.resolve('ended');
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['ended']));
});

test('past a thousand that wait the user is told so, until they are fewer', async () => {
  const gate = createUserGate();
  const over = Promise.withResolvers<void>();
  const all = Array.from({ length: 1_008 }, () => gate.run(a, here, () => over.promise));
  await expect(gate.run(a, here, nextTurn)).rejects.toMatchObject({
    code: 'overloaded',
    retryAfterSeconds: 1,
  });
  await gate.run(b, here, nextTurn);
  over.resolve();
  await Promise.all(all);
  await gate.run(a, here, nextTurn);
  await expect(gate.run(a, here, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('who has gone leaves the queue, and is not worked for', async () => {
  const gate = createUserGate();
  const over = Promise.withResolvers<void>();
  const running = Array.from({ length: 8 }, () => gate.run(a, here, () => over.promise));
  const gone = new AbortController();
  const work = () => Promise.reject(new Error('is worked for'));
  const left = Array.from({ length: 1_000 }, () => gate.run(a, gone.signal, work).catch(String));
  gone.abort('gone');
  expect(new Set(await Promise.all(left))).toEqual(new Set(['gone']));
  await expect(gate.run(b, gone.signal, work)).rejects.toBe('gone');
  const next = gate.run(a, here, async () => 'done');
  over.resolve();
  expect(await next).toBe('done');
  await Promise.all(running);
});

test('who comes back from a pause goes first, and is none of those that wait', async () => {
  const gate = createUserGate();
  const [waited, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const order: string[] = [];
  const paused = Array.from({ length: 100 }, () =>
    gate.run(a, here, async ({ pause }) => {
      await pause(() => pause(() => waited.promise));
      order.push('back');
    }),
  );
  await nextTurn();
  const running = Array.from({ length: 8 }, () => gate.run(a, here, () => over.promise));
  const fresh = () => gate.run(a, here, async () => void order.push('new'));
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

test('the keys of a user, and who is signed in, share the places and take turns', async () => {
  const [leaked, own, session] = ['k', 'l', null].map((keyId) => requesterOf({ userId: 'u', keyId }));
  const gate = createUserGate();
  const over = Promise.withResolvers<void>();
  const order: string[] = [];
  let most = 0;
  let running = 0;
  const work = (name: string) => async () => {
    order.push(name);
    most = Math.max(most, ++running);
    await over.promise;
    running--;
  };
  const all = Array.from({ length: 1_008 }, () => gate.run(leaked!, here, work('leaked')));
  await expect(gate.run(leaked!, here, nextTurn)).rejects.toMatchObject({ code: 'overloaded' });
  all.push(gate.run(own!, here, work('own')), gate.run(session!, here, work('session')));
  await gate.run(requesterOf({ userId: 'v', keyId: 'm' }), here, nextTurn);
  over.resolve();
  await Promise.all(all);
  expect(most).toBe(8);
  expect(order.slice(8, 11).toSorted()).toEqual(['leaked', 'own', 'session']);
});

test('those of one key that come back together do not keep out another key', async () => {
  const [own, other] = ['k', 'l'].map((keyId) => requesterOf({ userId: 'u', keyId }));
  const gate = createUserGate();
  const [waited, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const order: string[] = [];
  const paused = Array.from({ length: 1_000 }, () =>
    gate.run(own!, here, async ({ pause }) => {
      await pause(() => waited.promise);
      order.push('back');
    }),
  );
  await nextTurn();
  const running = Array.from({ length: 8 }, () => gate.run(own!, here, () => over.promise));
  const fresh = (requester: typeof own, name: string) =>
    gate.run(requester!, here, async () => void order.push(name));
  waited.resolve();
  await nextTurn();
  const waiting = [fresh(own, 'own'), fresh(other, 'other')];
  over.resolve();
  await Promise.all([...paused, ...running, ...waiting]);
  expect(order.indexOf('other')).toBeLessThan(8);
  expect(order.indexOf('own')).toBeGreaterThan(1_000 - 8);
});
