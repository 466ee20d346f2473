import { expect, test, vi } from 'vitest';
import { EgressError, protocolError, timeoutError } from '../../src/shared/egress/egress-error.ts';
import type { EgressLease } from '../../src/shared/egress/types.ts';
import type { PageQuery } from '../../src/shared/schemas/page-options.ts';
import { ScriptTexts } from '../../src/workers/page/engine/script-texts.ts';

const query = { url: 'https://quarry.test/', timeout: 5_000, render: 'auto', verifyTls: true } as PageQuery;

type Answer = Error | { status: number; body?: Buffer; truncated?: boolean };

/** Answers each request with how many there were; the first as it is said. */
function openLease(first?: Answer, signal = new AbortController().signal) {
  let count = 0;
  const fetch = async () => {
    count++;
    const said = count === 1 ? first : undefined;
    if (said instanceof Error) throw said;
    return { status: 200, body: Buffer.from(`script(${count})`), headers: {}, ...said };
  };
  return { fetch, signal } as unknown as EgressLease;
}

test('a script is kept for the user who asked for it, and as it was asked for', async () => {
  const texts = new ScriptTexts();
  const lease = openLease();
  const read = async (owner: string, more: Partial<PageQuery> = {}) =>
    (await texts.fetch(lease, ['https://quarry.test/a.js'], { ...query, ...more }, owner))[0];
  expect(await read('a')).toBe('script(1)');
  expect(await read('a', { timeout: 1_000 })).toBe('script(1)');
  expect(await read('b')).toBe('script(2)');
  expect(await read('a', { userAgent: 'Reader' })).toBe('script(3)');
  expect(await read('a', { verifyTls: false })).toBe('script(4)');
  expect(await read('a')).toBe('script(1)');
});

test.each<[string, boolean, Answer, Partial<PageQuery>]>([
  ['a script that is missing', true, { status: 404 }, {}],
  ['an empty one', true, { status: 200, body: Buffer.alloc(0) }, {}],
  ['one that is too long', true, new EgressError('target_too_large', 'Large', 'budget'), {}],
  ['one that hangs', true, timeoutError('Late'), {}],
  ['one that its server refuses', true, { status: 403 }, {}],
  ['one whose server is busy', false, { status: 429 }, {}],
  ['one whose server is away for the moment', false, { status: 503 }, {}],
  ['one whose server gave up', false, { status: 408 }, {}],
  ['one that came too late for a page with less time', false, timeoutError('Late'), { timeout: 1_500 }],
  ['a connection that broke', false, protocolError('Broke'), {}],
  ['a fault of our own', false, new Error('fault'), {}],
])('that there is nothing of %s is kept: %s', async (_what, isKept, first, more) => {
  const texts = new ScriptTexts();
  const lease = openLease(first);
  const read = (options = {}) =>
    texts.fetch(lease, ['https://quarry.test/a.js'], { ...query, ...options }, 'a');
  expect([await read(more), await read()]).toEqual([[], isKept ? [] : ['script(2)']]);
});

test('that a script hangs is kept for half a minute, that it is missing for ten', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const reader = (first: Answer) => {
    const texts = new ScriptTexts();
    const lease = openLease(first);
    return () => texts.fetch(lease, ['https://quarry.test/a.js'], query, 'a');
  };
  const [hangs, misses] = [reader(timeoutError('Late')), reader({ status: 404 })];
  try {
    for (const [at, expected] of [
      [0, [[], []]],
      [29_000, [[], []]],
      [31_000, [['script(2)'], []]],
      [601_000, [['script(2)'], ['script(2)']]],
    ] as const) {
      vi.advanceTimersByTime(at - performance.now());
      expect([await hangs(), await misses()]).toEqual(expected);
    }
  } finally {
    vi.useRealTimers();
  }
});

test('a script whose answer broke off is read, and asked for again after half a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const texts = new ScriptTexts();
    const lease = openLease({ status: 200, body: Buffer.from('half'), truncated: true });
    const read = () => texts.fetch(lease, ['https://quarry.test/a.js'], query, 'a');
    expect([await read(), await read()]).toEqual([['half'], ['half']]);
    vi.advanceTimersByTime(31_000);
    expect(await read()).toEqual(['script(2)']);
  } finally {
    vi.useRealTimers();
  }
});

test('nor is one kept that broke off for a page with less time', async () => {
  const texts = new ScriptTexts();
  const lease = openLease({ status: 200, body: Buffer.from('half'), truncated: true });
  const read = (timeout: number) =>
    texts.fetch(lease, ['https://quarry.test/a.js'], { ...query, timeout }, 'a');
  expect([await read(1_500), await read(5_000)]).toEqual([['half'], ['script(2)']]);
});

test('what was ended before it came is not kept', async () => {
  const texts = new ScriptTexts();
  const stop = new AbortController();
  const ended = openLease(timeoutError('Late'), stop.signal);
  stop.abort();
  const read = (lease: EgressLease) => texts.fetch(lease, ['https://quarry.test/a.js'], query, 'a');
  await expect(read(ended)).rejects.toThrow();
  expect(await read(openLease())).toEqual(['script(1)']);
});
