import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSoloGate } from '../../src/workers/solo-gate.ts';

const patient = { patienceMs: 60_000, makeRoom: () => undefined };

test('jobs run side by side, one that must be alone runs alone, and nobody overtakes it', async () => {
  const gate = createSoloGate(patient);
  const inside: string[] = [];
  const enter = (name: string, alone: boolean) =>
    gate.enter(alone).then((leave) => {
      inside.push(name);
      return () => {
        inside.splice(inside.indexOf(name), 1);
        leave();
      };
    });
  const [first, second] = await Promise.all([enter('first', false), enter('second', false)]);
  const solo = enter('solo', true);
  const later = enter('later', false);
  first();
  await sleep(1);
  expect(inside).toEqual(['second']);
  second();
  const endSolo = await solo;
  await sleep(1);
  expect(inside).toEqual(['solo']);
  endSolo();
  (await later)();
  expect(inside).toEqual([]);
});

test('those who do not end are made to leave for one that must be alone, but not for those who need not', async () => {
  const leaves: (() => void)[] = [];
  let asked = 0;
  const gate = createSoloGate({
    patienceMs: 20,
    makeRoom: () => {
      asked++;
      for (const leave of leaves.splice(0)) leave();
    },
  });
  leaves.push(await gate.enter(false), await gate.enter(false));
  await sleep(60);
  expect(asked).toBe(0);
  const endSolo = await gate.enter(true);
  expect(asked).toBe(1);
  // It is what the others wait for: nobody makes it leave, not even for another one.
  const next = gate.enter(true);
  await sleep(60);
  expect(asked).toBe(1);
  endSolo();
  (await next)();
});
