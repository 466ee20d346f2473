import { expect, test } from 'vitest';
import { createSingleFlight } from '../../src/workers/page/single-flight.ts';

const never = new AbortController().signal;

test('who leaves does not end the load for the others; the last one does', async () => {
  const loads = createSingleFlight<string>();
  const finish = Promise.withResolvers<string>();
  let loadSignal = never;
  let started = 0;
  const load = (signal: AbortSignal) => {
    started++;
    loadSignal = signal;
    return finish.promise;
  };
  const first = new AbortController();
  const second = new AbortController();
  const one = loads.join('page', first.signal, load);
  const two = loads.join('page', second.signal, load);
  first.abort(new Error('canceled'));
  await expect(one).rejects.toThrow('canceled');
  expect(loadSignal.aborted).toBe(false);
  second.abort(new Error('canceled too'));
  await expect(two).rejects.toThrow('canceled too');
  expect(loadSignal.aborted).toBe(true);
  expect(started).toBe(1);

  const again = loads.join('page', never, load);
  finish.resolve('here');
  expect(await again).toBe('here');
  expect(started).toBe(2);
});

test('a failure is told to all, and is not kept', async () => {
  const loads = createSingleFlight<string>();
  const fail = async () => Promise.reject(new Error('down'));
  const both = [loads.join('page', never, fail), loads.join('page', never, fail)];
  expect((await Promise.allSettled(both)).map((one) => one.status)).toEqual(['rejected', 'rejected']);
  expect(await loads.join('page', never, async () => 'up')).toBe('up');
});
