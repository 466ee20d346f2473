import { expect, test, vi } from 'vitest';
import { createLinkBytes } from '../../src/api/link-bytes.ts';

test('what comes through a link counts while it comes and afterwards, until the link expires', () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const bytes = createLinkBytes();
    const lease = { bytesReceived: 0 };
    const first = bytes.count('a', 1_000, lease);
    lease.bytesReceived = 70;
    expect([bytes.of('a'), bytes.of('b')]).toEqual([70, 0]);
    const second = bytes.count('a', 1_000, { bytesReceived: 5 });
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    second[Symbol.dispose]();
    expect(bytes.of('a')).toBe(75);
    vi.setSystemTime(2_000);
    bytes.count('b', 3_000, lease)[Symbol.dispose]();
    expect(bytes.of('a')).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
