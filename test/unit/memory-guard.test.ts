import { expect, test, vi } from 'vitest';
import type { BrowserInstance } from '../../src/workers/browser/browser-instance.ts';
import { silentLog } from '../../src/workers/browser/log.ts';
import { startMemoryGuard } from '../../src/workers/browser/memory-guard.ts';

const mebibyte = 1024 ** 2;

test('a Chromium that keeps memory of its jobs is replaced once it has had none for a while', () => {
  vi.useFakeTimers();
  using _ = { [Symbol.dispose]: () => void vi.useRealTimers() };
  let totalBytes = 300 * mebibyte;
  const chromium = { readMemory: () => ({ totalBytes, renderers: [] }) };
  const instance = { chromium, jobs: 0, active: 0 } as unknown as BrowserInstance;
  const renew = vi.fn();
  const others = { retire: vi.fn(), replace: vi.fn() };
  const instances = new Set([instance]);
  using guard = startMemoryGuard({
    instances,
    limitBytes: 4096 * mebibyte,
    log: silentLog,
    renew,
    ...others,
  });
  expect(guard).toBeDefined();
  vi.advanceTimersByTime(20_000);
  Object.assign(instance, { jobs: 1, active: 1 });
  totalBytes = 600 * mebibyte;
  vi.advanceTimersByTime(20_000);
  expect(renew).not.toHaveBeenCalled();
  instance.active = 0;
  vi.advanceTimersByTime(4_000);
  expect(renew).not.toHaveBeenCalled();
  vi.advanceTimersByTime(3_000);
  expect(renew).toHaveBeenCalledExactlyOnceWith(instance, 'it has kept memory of its jobs');
  totalBytes = 400 * mebibyte;
  vi.advanceTimersByTime(20_000);
  expect(renew).toHaveBeenCalledOnce();
  expect([others.retire, others.replace].flatMap(({ mock }) => mock.calls)).toEqual([]);
});
