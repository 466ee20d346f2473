import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeResult } from '../../src/workers/jobs/write-result.ts';

const textOf = async (value: unknown) => (await writeResult(value)).bytes.toString();

/** Fails as one does whose text would be longer than any may be. */
const unwritable = () => ({
  toJSON() {
    throw new RangeError('Invalid string length');
  },
});

test('is the JSON of any value', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.object({ maxDepth: 8, values: [fc.jsonValue(), fc.constant(undefined)] }),
      async (value) => {
        expect(await textOf(value)).toBe(JSON.stringify(value));
      },
    ),
    { numRuns: 200 },
  );
});

test.each([
  ['long texts', { html: 'slate "split" \n'.repeat(100_000) }],
  [
    'characters of two units at every place',
    { html: `a${'🪨'.repeat(600_000)}`, text: '🪨'.repeat(600_000) },
  ],
  ['halves of characters', { html: '\ud83e'.repeat(1_200_000) }],
  ['lists of nothing', { a: [], b: {}, c: [[], {}, null, undefined], d: new Date(0) }],
  ['lists', { results: Array.from({ length: 50_000 }, (_, n) => ({ url: `http://a/${n}`, ok: true })) }],
])('%s', async (_what, value) => {
  const { bytes, sha256 } = await writeResult(value);
  expect(bytes.toString() === JSON.stringify(value)).toBe(true);
  expect(sha256).toEqual(hash('sha256', bytes, 'buffer'));
});

test.each([
  ['large one', { results: Array.from({ length: 4 }, () => ({ data: { html: 'a'.repeat(10_000_000) } })) }],
  ['long one of small values', { words: Array.from({ length: 500_000 }, (_, n) => n) }],
])('others have the event loop while a %s is written', async (_what, value) => {
  let turns = 0;
  let counting = setImmediate(function count() {
    turns++;
    counting = setImmediate(count);
  });
  await writeResult(value);
  clearImmediate(counting);
  expect(turns).toBeGreaterThan(20);
});

test.each([
  ['deep down', { a: { b: { c: { d: { e: { f: unwritable() } } } } } }],
  ['in a form of its own', { at: unwritable() }],
])('a value %s that no text can hold is too large', async (_where, value) => {
  await expect(writeResult(value)).rejects.toMatchObject({ code: 'target_too_large', isFinal: true });
});

test('one past the bound is too large, unless more is asked for', async () => {
  const html = 'a'.repeat(30_000_000);
  const result = { results: Array.from({ length: 5 }, () => ({ html })) };
  await expect(writeResult(result)).rejects.toMatchObject({ code: 'target_too_large', isFinal: true });
  expect((await writeResult(result, 160_000_000)).bytes.length).toBeGreaterThan(150_000_000);
});
