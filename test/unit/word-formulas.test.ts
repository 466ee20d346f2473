import { expect, test } from 'vitest';
import readDocument from '../../src/workers/documents/read-document.ts';
import { putFormulas, takeFormulas } from '../../src/workers/documents/word-formulas.ts';
import { convertHtml } from '../../src/workers/markdown/make-markdown.ts';
import { createZip } from '../support/zip.ts';

const office = 'http://schemas.openxmlformats.org';
const spaces = `xmlns:w="${office}/wordprocessingml/2006/main" xmlns:m="${office}/officeDocument/2006/math"`;
const run = (text: string, properties = '') => `<m:r>${properties}<m:t>${text}</m:t></m:r>`;
const of = (name: string, ...parts: string[]) => `<m:${name}>${parts.join('')}</m:${name}>`;
const e = (text: string) => of('e', run(text));
const set = (name: string, ...properties: string[]) =>
  of(`${name}Pr`, ...properties.map((one) => `<m:${one}/>`));
const upright = set('r', 'sty m:val="p"');

async function read(...paragraphs: string[]): Promise<{ text: string; markdown: string }> {
  const bytes = createZip({
    '[Content_Types].xml': `<Types xmlns="${office}/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${office}/package/2006/relationships"><Relationship Id="r" Type="${office}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<w:document ${spaces}><w:body>${paragraphs.map((one) => `<w:p>${one}</w:p>`).join('')}</w:body></w:document>`,
  });
  const task = { kind: 'docx' as const, bytes, text: '', url: 'http://a.example/', contentType: null };
  const { text, html } = (await readDocument(task)).page;
  return { text, markdown: convertHtml(html, { base: null, links: 'inline', images: true }) };
}

test.each([
  ['a fraction', of('f', of('num', run('1')), of('den', run('x+10'))), '\\frac{1}{x+10}'],
  [
    'a fraction in a line',
    of('f', set('f', 'type m:val="lin"'), of('num', run('a')), of('den', run('b'))),
    'a/b',
  ],
  [
    'a binomial',
    of('d', of('e', of('f', set('f', 'type m:val="noBar"'), of('num', run('n')), of('den', run('k'))))),
    '\\left( {n \\atop k}\\right)',
  ],
  ['a power', run('E=m') + of('sSup', e('c'), of('sup', run('2'))), 'E=mc^2'],
  ['an index', of('sSub', e('x'), of('sub', run('ij'))), 'x_{ij}'],
  ['both', of('sSubSup', e('x'), of('sub', run('1')), of('sup', run('2'))), 'x_1^2'],
  ['both before', of('sPre', of('sub', run('6')), of('sup', run('14')), e('C')), '{}_6^{14}C'],
  ['a root', of('rad', set('rad', 'degHide m:val="1"'), of('deg'), e('x')), '\\sqrt{x}'],
  ['a third root', of('rad', of('deg', run('3')), e('x')), '\\sqrt[3]{x}'],
  [
    'a sum',
    of('nary', set('nary', 'chr m:val="∑"'), of('sub', run('i=1')), of('sup', run('n')), e('i')),
    '∑_{i=1}^ni',
  ],
  ['an integral', of('nary', set('nary', 'supHide'), of('sub', run('V')), of('sup'), e('f')), '∫_Vf'],
  ['fences', of('d', set('d', 'begChr m:val="["', 'endChr m:val="&gt;"'), e('a'), e('b')), '[a|b>'],
  [
    'cases',
    of('d', set('d', 'begChr m:val="{"', 'endChr m:val=""'), of('e', of('eqArr', e('&amp;a'), e('b')))),
    '\\left\\{ \\begin{matrix}a \\\\ b\\end{matrix}\\right.',
  ],
  ['a function', of('func', of('fName', run('sin', upright)), e('x')), '\\sin x'],
  [
    'a limit',
    of('func', of('fName', of('limLow', e('lim'), of('lim', run('n→∞')))), of('e', run('a'))),
    '\\lim_{n→∞}a',
  ],
  ['an accent', of('acc', set('acc', 'chr m:val="⃗"'), e('v')) + of('acc', e('x')), '\\vec{v}\\hat{x}'],
  [
    'a bar',
    of('bar', set('bar', 'pos m:val="top"'), e('x')) + of('bar', e('y')),
    '\\overline{x}\\underline{y}',
  ],
  ['a brace', of('limLow', of('e', of('groupChr', e('ab'))), of('lim', run('n'))), '\\underbrace{ab}_n'],
  [
    'a matrix',
    of('m', of('mr', e('1'), e('2')), of('mr', e('3'), e('4'))),
    '\\begin{matrix}1 & 2 \\\\ 3 & 4\\end{matrix}',
  ],
  ['words', run('if ', set('r', 'nor')) + run('x&lt;5'), '\\text{if }x<5'],
  ['letters', run('d', upright) + run('R', set('r', 'scr m:val="double-struck"')), '\\mathrm{d}\\mathbb{R}'],
  ['what was deleted', `<w:del>${run('a')}</w:del><w:ins>${run('b')}</w:ins>`, 'b'],
])('%s in a line of a Word document is TeX', async (_, formula, tex) => {
  const { text, markdown } = await read(`<w:r><w:t>So</w:t></w:r>${of('oMath', formula)}`);
  expect(markdown).toBe(`So$${tex}$`);
  expect(text).toBe(`So${tex}`);
});

test('a paragraph of formulas is a block each', async () => {
  const { markdown } = await read(
    '<w:r><w:t>So</w:t></w:r>',
    of('oMathPara', set('oMathPara', 'jc m:val="left"'), of('oMath', run('a')), of('oMath', run('b'))),
  );
  expect(markdown).toBe('So\n\n$$\na\n$$\n\n$$\nb\n$$');
});

test('formulas in formulas are read once each', async () => {
  const deep = (depth: number): string =>
    depth === 0 ? run('x') : of('nary', of('sub', deep(depth - 1)), of('sup', run('n')), of('e', run('a')));
  const { text } = await read(of('oMath', deep(40)));
  expect(text.match(/∫/g)).toHaveLength(40);
});

test('a document names no marks of formulas', async () => {
  const foreign = 'Says \ufdd20\ufdd3 and &#xFDD2;0&#64979; end ';
  const { markdown } = await read(`<w:r><w:t>${foreign}</w:t></w:r>${of('oMath', run('x=1'))}`);
  expect(markdown).toBe('Says \ufdd20\ufdd3 and \ufdd20\ufdd3 end $x=1$');
});

test('a formula stands in one place, however often its mark does', () => {
  const formulas: string[] = [];
  const mark = takeFormulas(of('oMath', run('x')), formulas).replace(/<[^>]*>/g, '');
  expect(putFormulas(`<p>${mark}</p>`.repeat(3), formulas)).toBe(`<p>${formulas[0]}</p><p></p><p></p>`);
});
