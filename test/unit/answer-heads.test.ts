import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnswerHeads } from '../../src/shared/egress/answer-heads.ts';

function pass(pieces: readonly string[]): string {
  const heads = new AnswerHeads();
  heads.expect();
  const passed = pieces.map((piece) => heads.pass(Buffer.from(piece, 'latin1'))?.toString('latin1') ?? '');
  return passed.join('') + (heads.rest()?.toString('latin1') ?? '');
}

const answers = [
  '\n\nHTTP/1.1 200 OK\nX Spaced: a\nContent-Length: 2\n\nhi',
  '\r\n\r\n\nhttp/1.1 103 Early\r\n\r\n\n\nHTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nhi',
];

test.each(answers)('an answer is mended alike however it is cut: %j', (answer) => {
  const whole = pass([answer]);
  expect(whole).toContain('Connection: close');
  const cuts = fc.uniqueArray(fc.nat(answer.length), { maxLength: 6 });
  fc.assert(
    fc.property(cuts, (at) => {
      const ends = [...at].sort((a, b) => a - b);
      const pieces = [...ends, answer.length].map((end, index) => answer.slice(ends[index - 1] ?? 0, end));
      expect(pass(pieces)).toBe(whole);
    }),
    { numRuns: 2_000 },
  );
});

test('of the lines of a head the first 5,000 are mended, folded or not', () => {
  const mended = (lines: string) => pass([`HTTP/1.1 200 OK\nContent-Length: +0\n${lines}\n`]);
  const expected = (lines: string) =>
    `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${lines}Connection: close\r\n\r\n`;
  const isMended = [
    mended('X: 1\n'.repeat(4_000)) === expected('X: 1\r\n'.repeat(4_000)),
    mended('X: 1\n'.repeat(20_000)) === expected('X: 1\r\n'.repeat(4_999)),
    mended(`X: 0\n${' 1\n'.repeat(4_000)}`) === expected(`X: 0${' 1'.repeat(4_000)}\r\n`),
    mended(`X: 0\n${' 1\n'.repeat(20_000)}`) === expected(`X: 0${' 1'.repeat(4_998)}\r\n`),
  ];
  expect(isMended).toEqual([true, true, true, true]);
});
