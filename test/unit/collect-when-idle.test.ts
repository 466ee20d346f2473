import { expect, test } from 'vitest';
import { createIdleWatch } from '../../src/shared/collect-when-idle.ts';
import { collectGarbage } from '../../src/shared/garbage.ts';

const megabyte = 1024 ** 2;

function createProcess({ collectionMs = 150 } = {}) {
  const used = { cpuMs: 0, collections: 0 };
  const collect = () => {
    used.collections += 1;
    used.cpuMs += collectionMs;
  };
  const check = createIdleWatch(() => used.cpuMs, collect, 1_000);
  const checkAgain = (times: number, cpuMs: number) => {
    for (let n = 0; n < times; n++) {
      used.cpuMs += cpuMs;
      check();
    }
  };
  return {
    used,
    work: (times: number) => checkAgain(times, 400),
    idle: (times: number) => checkAgain(times, 40),
  };
}

test('the garbage of a burst is collected once, when the process is idle', () => {
  const { used, work, idle } = createProcess();
  work(10);
  idle(1);
  expect(used.collections).toBe(0);
  idle(1);
  expect(used.collections).toBe(1);
  idle(1_000);
  expect(used.collections).toBe(1);
  work(10);
  idle(2);
  expect(used.collections).toBe(2);
});

test('a process that goes on working is not stopped for it', () => {
  const { used, work, idle } = createProcess();
  for (let n = 0; n < 100; n++) {
    work(1);
    idle(1);
  }
  expect(used.collections).toBe(0);
});

test('collections take a twentieth of the work at most', () => {
  const { used, work, idle } = createProcess({ collectionMs: 600 });
  for (let n = 0; n < 100; n++) {
    work(2);
    idle(2);
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
