import { type Element, isTag } from 'domhandler';
import { expect, test } from 'vitest';
import { mathText } from '../../src/workers/extract/formulas.ts';
import { walk } from '../../src/workers/extract/walk.ts';
import { parseTree } from '../../src/workers/extract/parse-tree.ts';

function texIn(html: string): string {
  const found: Element[] = [];
  walk(
    parseTree(html),
    (element) => {
      if (element.name === 'math') found.push(element);
      return element.name !== 'math';
    },
    () => undefined,
    () => undefined,
  );
  const [math] = found;
  return math !== undefined && isTag(math) ? mathText(math) : '';
}

const row = (...cells: string[]) =>
  `<mtr>${cells.map((cell) => `<mtd><mn>${cell}</mn></mtd>`).join('')}</mtr>`;

test.each([
  ['<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>', 'E=mc^2'],
  ['<mfrac><mn>1</mn><mrow><mi>x</mi><mo>+</mo><mn>10</mn></mrow></mfrac>', '\\frac{1}{x+10}'],
  ['<msqrt><mi>y</mi></msqrt><mroot><mi>z</mi><mn>3</mn></mroot>', '\\sqrt{y}\\sqrt[3]{z}'],
  ['<msubsup><mi>a</mi><mi>i</mi><mn>12</mn></msubsup>', 'a_i^{12}'],
  ['<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></munderover>', '∑_{i=0}^n'],
  ['<mi>sin</mi><mo>\u2061</mo><mi>x</mi><mi>rank</mi>', '\\sin x\\operatorname{rank}'],
  ['<msup><mrow><mo>(</mo><mi>a</mi><mo>)</mo></mrow><mn>2</mn></msup>', '{(a)}^2'],
  ['<msup><mi>f</mi><mo>′</mo></msup><mover><mi>v</mi><mo>→</mo></mover>', "f'\\vec{v}"],
  ['<mtext>if </mtext><mi>x</mi><mo>{</mo><mn>5</mn><mo>%</mo>', '\\text{if }x\\{5\\%'],
  [`<mtable>${row('1', '2')}${row('3', '4')}</mtable>`, '\\begin{matrix}1 & 2 \\\\ 3 & 4\\end{matrix}'],
  ['<mfenced open="[" close="]"><mi>a</mi><mi>b</mi></mfenced>', '[a,b]'],
  ['<mfenced open="{" close=""><mi>a</mi><mi>b</mi></mfenced>', '\\{a,b'],
  ['<mfenced separators=""><mi>a</mi><mi>b</mi></mfenced>', '(ab)'],
  ['<mover><mi>x</mi><mo>^</mo></mover><mover><mi>y</mi><mo>~</mo></mover>', '\\hat{x}\\tilde{y}'],
  ['<mover><mi>x</mi><mo>_</mo></mover>', '\\overline{x}'],
  ['<mover><mi>x</mi><mi>constructor</mi></mover>', 'x^{\\operatorname{constructor}}'],
  ['<mover><mi>x</mi><mo>toString</mo></mover>', 'x^{toString}'],
  ['<mi>sin</mi><mo>\u2061</mo><mrow></mrow><mi>x</mi>', '\\sin x'],
  ['<mi mathvariant="normal">d</mi><mi mathvariant="double-struck">R</mi>', '\\mathrm{d}\\mathbb{R}'],
  ['<munder><mi>x</mi><mo>_</mo></munder><mo>lim</mo><mi>n</mi>', '\\underline{x}\\lim n'],
  ['<msub><mrow></mrow><mi>a</mi></msub><mi>X</mi>', '{}_aX'],
  [
    '<mfenced><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac></mfenced>',
    '\\left( {n \\atop k}\\right)',
  ],
  ['<mi>𝑎</mi><mi>ℎ</mi>', 'ah'],
  ['<mrow><mi>a</mi><mphantom><mi>b</mi></mphantom></mrow>', 'a'],
])('%s is TeX', (mathml, tex) => {
  expect(texIn(`<math>${mathml}</math>`)).toBe(tex);
});

test('where a formula tells its own source, that is taken', () => {
  const mathml = '<mfrac><mn>1</mn><mn>2</mn></mfrac>';
  const note = '<annotation encoding="application/x-tex">\\tfrac12</annotation>';
  expect(texIn(`<math><semantics>${mathml}${note}</semantics></math>`)).toBe('\\tfrac12');
  expect(texIn(`<math alttext="1/2">${mathml}</math>`)).toBe('1/2');
});

test('a formula that is nested without end is its characters', () => {
  expect(texIn(`<math>${'<mrow>'.repeat(5_000)}<mi>x</mi>`)).toBe('x');
});
