import { expect, test } from 'vitest';
import { createRestWatch } from '../../src/shared/collect-at-rest.ts';
import { collectGarbage } from '../../src/shared/garbage.ts';

const megabyte = 1024 ** 2;

function createProcess({ collectionMs = 150 } = {}) {
  const used = { cpuMs: 0, collections: 0 };
  const collect = () => {
    used.collections += 1;
    used.cpuMs += collectionMs;
  };
  const check = createRestWatch(() => used.cpuMs, collect, 1_000);
  const checkAgain = (times: number, cpuMs: number) => {
    for (let n = 0; n < times; n++) {
      used.cpuMs += cpuMs;
      check();
    }
  };
  return {
    used,
    work: (times: number) => checkAgain(times, 400),
    rest: (times: number) => checkAgain(times, 40),
  };
}

test('the garbage of a burst is collected once, when the process rests', () => {
  const { used, work, rest } = createProcess();
  work(10);
  rest(1);
  expect(used.collections).toBe(0);
  rest(1);
  expect(used.collections).toBe(1);
  rest(1_000);
  expect(used.collections).toBe(1);
  work(10);
  rest(2);
  expect(used.collections).toBe(2);
});

test('a process that goes on working is not stopped for it', () => {
  const { used, work, rest } = createProcess();
  for (let n = 0; n < 100; n++) {
    work(1);
    rest(1);
  }
  expect(used.collections).toBe(0);
});

test('collections take a twentieth of the work at most', () => {
  const { used, work, rest } = createProcess({ collectionMs: 600 });
  for (let n = 0; n < 100; n++) {
    work(2);
    rest(2);
  }
  // 80,000 ms of work; the first one's time was not known before.
  expect(used.collections).toBeGreaterThan(1);
  expect(used.collections).toBeLessThanOrEqual(1 + 80_000 / 20 / 600);
});

test('buffers that nobody uses are freed', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const buffers = Array.from({ length: 32 }, () => Buffer.alloc(megabyte));
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThanOrEqual(32 * megabyte);
  buffers.length = 0;
  collectGarbage({ type: 'major', flavor: 'last-resort' });
  // V8 frees what it has collected in a thread of its own.
  await expect
    .poll(() => process.memoryUsage().arrayBuffers - before, { timeout: 20_000 })
    .toBeLessThan(8 * megabyte);
});
