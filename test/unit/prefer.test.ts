import { expect, test } from 'vitest';
import { readPrefer } from '../../src/api/http/prefer.ts';

test.each([
  ['', 30_000, null],
  ['respond-async', 0, 'respond-async'],
  ['wait=5', 5_000, 'wait=5'],
  ['Wait="7"', 7_000, 'wait=7'],
  ['return=minimal, wait=0', 0, 'wait=0'],
  ['respond-async, wait=10', 10_000, 'respond-async, wait=10'],
])('Prefer: %s waits %i ms', (header, waitMs, applied) => {
  expect(readPrefer(header, 30_000)).toEqual({ waitMs, applied });
});

test.each(['wait=111', 'wait=-1', 'wait=soon', 'wait=1.5', 'wait='])('Prefer: %s is refused', (header) => {
  expect(() => readPrefer(header, 30_000)).toThrow(/whole seconds from 0 to 110/);
});
