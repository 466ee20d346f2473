import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLimit } from '../../src/shared/limit.ts';

test('work beyond the limit waits, and its owners take turns', async () => {
  const limit = createLimit(2);
  const order: string[] = [];
  let running = 0;
  let most = 0;
  const work = (owner: string) =>
    limit.run(owner, async () => {
      most = Math.max(most, ++running);
      await nextTurn();
      order.push(owner);
      running--;
    });
  const all = [...Array(50).fill('a'), 'b', 'c', 'b'].map(work);
  expect([limit.waitingOf('a'), limit.waitingOf('b'), limit.waitingOf('d')]).toEqual([48, 2, 0]);
  await Promise.all(all);
  expect(most).toBe(2);
  // Two of the first owner ran already when the others came.
  expect(order.slice(0, 8).filter((owner) => owner !== 'a')).toHaveLength(3);
});

test('work that fails frees its slot for the next', async () => {
  const limit = createLimit(1);
  const failing = limit.run('a', () => Promise.reject(new Error('no')));
  const next = limit.run('a', async () => 'next');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('next');
});
