import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { tokensOf } from '../../src/shared/tokens.ts';

test.each([
  ['words', 'The quick brown fox jumps over it. '.repeat(100)],
  ['no words', ''],
  ['runs just short of the bound', `${'ab'.repeat(199)}c ${' '.repeat(398)}`.repeat(3)],
  ['characters of two units', `${'😀'.repeat(399)} a`],
])('a text of %s is counted as the tokenizer counts it', (_, text) => {
  expect(tokensOf(text)).toBe(countTokens(text));
});

test.each([
  ['letters', 'x', 400],
  ['spaces', ' ', 400],
  ['characters of two units', '😀', 400],
])('a run of %s is counted in parts', (_, character, length) => {
  const part = character.repeat(length);
  const rest = `${character.repeat(5)}. End`;
  expect(tokensOf(part + part + rest)).toBe(2 * countTokens(part) + countTokens(rest));
});
