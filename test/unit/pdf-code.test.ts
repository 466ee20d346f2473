import { expect, test } from 'vitest';
import { codeAt, toCode } from '../../src/workers/documents/pdf-code.ts';
import { readPdfDocument } from '../../src/workers/documents/read-pdf-document.ts';
import { growthOf } from '../support/growth.ts';
import { writePdf } from '../support/document-set.ts';

const prose = 'Slate splits along its layers, and so it is laid upon roofs and walls of houses. '.repeat(6);
const code = 'def run(x):\n    if x > 1:\n        return start(x)\n    return None\n\nrun(3)';
const htmlOf = async (draw: Parameters<typeof writePdf>[0]): Promise<string> =>
  (await readPdfDocument(await writePdf(draw))).html;

test('lines in a font for code are code, indented and apart as they are drawn', async () => {
  const html = await htmlOf((file) => {
    file.font('Helvetica').fontSize(10).text(prose).moveDown();
    file.font('Courier').fontSize(8);
    for (const line of code.split('\n')) file.text(line === '' ? ' ' : line, { indent: 0 });
    file.font('Helvetica').fontSize(10).moveDown().text(prose);
  });
  expect(html).toContain(`<pre><code>${code.replace('>', '&gt;')}</code></pre>`);
});

test.each<[string, Parameters<typeof writePdf>[0]]>([
  ['a document that is typewritten as a whole', (file) => file.font('Courier').fontSize(10).text(prose)],
  [
    'one line or a word',
    (file) =>
      file
        .fontSize(10)
        .text(prose)
        .moveDown()
        .font('Courier')
        .text('npm start')
        .font('Helvetica')
        .text(prose),
  ],
  [
    'a heading',
    (file) =>
      file
        .font('Courier')
        .fontSize(20)
        .text('On slate and\nits roofs')
        .font('Helvetica')
        .fontSize(10)
        .text(prose),
  ],
])('%s is no code', async (_, draw) => {
  expect(await htmlOf(draw)).not.toContain('<pre>');
});

const lineOf = (text: string, y: number, { x = 0, right = 100, isFixed = true } = {}) => ({
  segments: [{ text, row: { x, right }, x, right, y, size: 10, isFixed }],
  x,
  right,
  y,
  size: 10,
});

test('lines of Chinese and Japanese are no code, whatever their font', () => {
  expect(codeAt([lineOf('a = 1', 24), lineOf('b = 2', 12)], 0, 12)).toBe(2);
  expect(codeAt([lineOf('第一章', 24), lineOf('屋根の石', 12)], 0, 12)).toBe(0);
});

test('an indent is bounded, and lines of code cost in proportion', () => {
  const far = [lineOf('a'.repeat(9_000), 24, { x: 900, right: 900 }), lineOf('b', 12)];
  expect(toCode(far)).toHaveLength(9_102);
  const linesOf = (size: number) => Array.from({ length: size }, (_, at) => lineOf('a = 1', -12 * at));
  expect(growthOf(linesOf, toCode, 2_000)).toBeLessThan(1.6);
});
