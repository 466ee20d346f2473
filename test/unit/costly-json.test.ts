import { expect, test } from 'vitest';
import { refuseCostlyJson } from '../../src/api/http/refuse-costly-json.ts';
import { keyRights } from '../../src/shared/schemas/api-key.ts';

const spaces = ' '.repeat(20_000);
const nested = (levels: number) => spaces + '['.repeat(levels) + ']'.repeat(levels);
const list = (values: number) => `[${Array(values).fill('1').join(', ')}]`;

test.each([
  ['as many values as there may be', list(20_000)],
  ['as many levels', nested(64)],
  ['levels one after the other', spaces + '[[]],'.repeat(1_000)],
  ['marks in a string', `{"html": "${'[{,'.repeat(300_000)}"}`],
  ['marks after quotes in a string', `{"html": "${'\\",[{\\\\'.repeat(100_000)}"}`],
  ['a short text, whatever it has', '['.repeat(16_000)],
  ['a string without an end', `"${',[{'.repeat(100_000)}`],
  ['a backslash at the end', `${spaces}"${','.repeat(30_000)}\\`],
])('%s: is for the parser', (_what, text) => {
  expect(() => refuseCostlyJson(text)).not.toThrow();
});

test.each([
  ['more values', list(20_001)],
  ['more levels', nested(65)],
  ['fields', `{${Array.from({ length: 80_000 }, (_, n) => `"k${n}":1`).join(',')}}`],
  ['empty objects', spaces + '{}'.repeat(20_001)],
])('%s: refused before they are parsed', (_what, text) => {
  expect(() => refuseCostlyJson(text)).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: expect.stringContaining('20,000 values') }),
  );
});

test('notes of a key are counted before they are looked at', () => {
  const notes = (count: number, note: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`note ${n}`, note]));
  const result = keyRights.metadata.safeParse(notes(10_000, ['no note']));
  expect(result.error?.issues.map(({ message }) => message)).toEqual(['At most 20 notes']);
  expect(keyRights.metadata.safeParse(notes(21, 'x')).success).toBe(false);
  for (const good of [notes(20, 'x'), {}, null, undefined])
    expect(keyRights.metadata.safeParse(good)).toEqual({ success: true, data: good });
  expect(keyRights.metadata.safeParse(notes(1, ['no note'])).success).toBe(false);
});
