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

test.each([
  ['A: b\n c\r\n\td\n', 'A: b c d\r\n'],
  ['A:\n b\n', 'A: b\r\n'],
  ['A: b\n \n', 'A: b\r\n'],
  [' folded: x\nA: b\n', 'A: b\r\n'],
  ['X Spaced: a\n folded: x\nA: b\n', 'A: b\r\n'],
])('folded lines are one, and nothing where they belong to none: %j', (lines, read) => {
  expect(pass([`HTTP/1.1 200 OK\n${lines}\n`])).toBe(`HTTP/1.1 200 OK\r\n${read}Connection: close\r\n\r\n`);
});

// Node's parser would take time in the square of their lines.
test('of folded headers that never end no more is passed on than a head may have', () => {
  const refusal = expect.objectContaining({ code: 'target_protocol_error' });
  const pieces = [
    'HTTP/1.1 200 OK\r\nX-Folded: b',
    ...Array.from({ length: 10 }, () => '\n x'.repeat(10_000)),
  ];
  expect(() => pass(pieces)).toThrow(refusal);
  expect(() => pass([`HTTP/1.1 200 OK\n${'X: 1\n'.repeat(10_001)}`])).toThrow(refusal);
});

test('what comes before an answer is passed on a hundred times, in one piece or in many, and refused then', () => {
  const early = 'HTTP/1.1 103 Early Hints\r\n\r\n';
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  const heads = new AnswerHeads();
  // Of each request by itself.
  for (let request = 0; request < 2; request++) {
    heads.expect();
    for (let n = 0; n < 100; n++) expect(heads.pass(Buffer.from(early))?.toString()).toBe(early);
    expect(heads.pass(Buffer.from(answer))?.toString()).toBe(answer);
  }
  const refusal = expect.objectContaining({ code: 'target_protocol_error' });
  expect(() => pass([early.repeat(101)])).toThrow(refusal);
  expect(() => pass(Array.from({ length: 101 }, () => early))).toThrow(refusal);
});

const headOfChunks = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

test('chunks that come together are passed on as one, those that come later as they come', () => {
  const heads = new AnswerHeads();
  heads.expect();
  const next = (text: string) => heads.pass(Buffer.from(text, 'latin1'))?.toString('latin1');
  expect(next(headOfChunks)).toBe(headOfChunks);
  expect(next('1\r\na\r\n'.repeat(20_000))).toBe(`4e20\r\n${'a'.repeat(20_000)}\r\n`);
  expect(next('5; x=y\r\nab')).toBe('2\r\nab\r\n');
  expect(next('cde\r')).toBe('3\r\ncde\r\n');
  expect(next('\n0\r\nTrailer: 1\r\n')).toBe('');
  expect(next('\r\n')).toBe('0\r\n\r\n');
});

test.each([
  ['data longer than its size', '2\r\nabcd\r\n0\r\n\r\n'],
  ['data that is longer and looks like a size', '2\r\nabc\r\n0\r\n\r\n'],
  ['trailers that never end', `1\r\na\r\n0\r\n${'A: b\r\n'.repeat(60_000)}`],
])('of chunks with %s the parser is told that they are none, however they are cut', (_what, body) => {
  const pieces = (length: number) => body.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
  for (const length of [3, 7, 1_000])
    expect(pass([headOfChunks, ...pieces(length)])).toContain('no chunk\r\n');
});

test.each(['d41d8cd98f00b204e9800998ecf8427e\n', 'ffffffffffffffffff\r\nhello\r\n0\r\n\r\n'])(
  'a size of more digits than a number holds is left to the parser: %j',
  (body) => {
    expect(pass([headOfChunks, body])).toBe(headOfChunks + body);
    expect(pass([`${headOfChunks}00000000000000000001\r\na\r\n`, body])).toBe(
      `${headOfChunks}1\r\na\r\n${body}`,
    );
  },
);

test('all heads of an answer are 256 KiB together', () => {
  const early = (count: number) => `HTTP/1.1 103 Early Hints\r\n${'A: b\r\n'.repeat(count)}\r\n`;
  expect(() => pass(Array.from({ length: 20 }, () => early(2_000)))).not.toThrow();
  expect(() => pass(Array.from({ length: 30 }, () => early(2_000)))).toThrow('262144 bytes of headers');
});

test('what is no HTTP is left to the parser, however it is cut and long', () => {
  for (const pieces of [['SSH-2.0-x'], ['SSH-', 'x'.repeat(360_000)], [...'SSH-2.0-', 'y']])
    expect(pass(pieces)).toBe(pieces.join(''));
});

test('chunks are read alike however they are cut', () => {
  const dataOf = (text: string) =>
    text.slice(headOfChunks.length).replaceAll(/[0-9a-f]+\r\n([^\r]*)\r\n/g, '$1');
  const chunks = fc.array(fc.stringMatching(/^[g-z]{1,40}$/), { minLength: 1 });
  fc.assert(
    fc.property(chunks, fc.array(fc.nat(800)), (texts, at) => {
      const body = `${texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')}0\r\n\r\n`;
      const answer = headOfChunks + body;
      const ends = [...at].sort((a, b) => a - b);
      const pieces = [...ends, answer.length].map((end, index) => answer.slice(ends[index - 1] ?? 0, end));
      expect(dataOf(pass(pieces))).toBe(texts.join(''));
    }),
  );
});
