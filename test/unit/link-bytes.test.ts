import { expect, test, vi } from 'vitest';
import { createLinkBytes } from '../../src/api/link-bytes.ts';

const none = () => undefined;

test('what comes through a link counts while it comes and afterwards, until the link expires', () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const bytes = createLinkBytes(100);
    const lease = { bytesReceived: 0 };
    const first = bytes.count('a', 1_000, lease, none);
    lease.bytesReceived = 70;
    expect([bytes.of('a'), bytes.of('b')]).toEqual([70, 0]);
    const second = bytes.count('a', 1_000, { bytesReceived: 5 }, none);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    second[Symbol.dispose]();
    expect(bytes.of('a')).toBe(75);
    vi.setSystemTime(2_000);
    bytes.count('b', 3_000, lease, none)[Symbol.dispose]();
    expect(bytes.of('a')).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('what is open of a link ends together, once all of it has brought more than the bound', () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const bytes = createLinkBytes(100);
    const leases = [{ bytesReceived: 50 }, { bytesReceived: 50 }, { bytesReceived: 50 }];
    const stops = leases.map(() => vi.fn());
    const [first, second] = leases.map((lease, n) =>
      bytes.count(n === 2 ? 'b' : 'a', 10_000, lease, stops[n] ?? none),
    );
    const stopped = () => stops.map((stop) => stop.mock.calls.length);
    vi.advanceTimersByTime(1_000);
    expect(stopped()).toEqual([0, 0, 0]);
    leases[0]!.bytesReceived = 51;
    vi.advanceTimersByTime(1_000);
    expect(stopped()).toEqual([1, 1, 0]);
    first?.[Symbol.dispose]();
    second?.[Symbol.dispose]();
    vi.advanceTimersByTime(5_000);
    expect(stopped()).toEqual([1, 1, 0]);
  } finally {
    vi.useRealTimers();
  }
});
