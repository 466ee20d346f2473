import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { convertHtml } from '../../src/workers/markdown/make-markdown.ts';
import { parsePage } from '../../src/workers/extract/parse-page.ts';
import { growthOf } from '../support/growth.ts';

const url = 'http://site.example/';
function markdownOf(body: string, head = ''): string {
  const { html } = extractPage({ html: `<head>${head}</head>${body}`, url, onlyMainContent: false });
  return convertHtml(html, { base: null, links: 'inline', images: true });
}
const mathJax = '<script src="https://cdn.example/mathjax@3/es5/tex-mml-chtml.js"></script>';
const withDollars = `<script>MathJax = {tex: {inlineMath: [['$', '$'], ['\\\\(', '\\\\)']]}}</script>${mathJax}`;
const katex = `<script>renderMathInElement(document.body, {delimiters: [{left: "$", right: "$", display: false}]})</script>`;

test.each([
  ['marks of MathJax', mathJax, '<p>So \\(a_b*c\\) holds', 'So $a_b*c$ holds'],
  ['one letter', mathJax, '<p>Let \\(n\\) be', 'Let $n$ be'],
  ['a block', mathJax, '<p>So:<p>$$a_1 &lt; b$$<p>End', 'So:\n\n$$\na_1 < b\n$$\n\nEnd'],
  ['a block with breaks', mathJax, '<p>\\[<br>a\\\\<br>b<br>\\]</p>', '$$\na\\\\\nb\n$$'],
  ['dollars', withDollars, '<p>So $a_b$, at $5 or $6', 'So $a_b$, at \\$5 or \\$6'],
  ['dollars of KaTeX', katex, '<p>So $a_b$', 'So $a_b$'],
  ['dollars that nobody asked for', mathJax, '<p>From $a_b to c_d$', 'From $a_b to c_d$'],
  [
    'an environment',
    mathJax,
    '<p>\\begin{align}a&amp;=b\\end{align}',
    '$$\n\\begin{align}a&=b\\end{align}\n$$',
  ],
  ['a name', mathJax, '<p>So <span class="math inline">a_b</span>', 'So $a_b$'],
  [
    'a name of an equation',
    mathJax,
    '<p>So <span class="math">speed = way / time</span>',
    'So $speed = way / time$',
  ],
  [
    'formulas in what is named so',
    mathJax,
    '<div class="math">Let \\(x^2\\) be given, then \\(y\\) holds.</div><p class="math">\\[a=b\\] where \\[c=d\\]</p>',
    'Let $x^2$ be given, then $y$ holds.\n\n$$\na=b\n$$\n\nwhere $c=d$',
  ],
  [
    'the name of a subject',
    mathJax,
    '<p>In <a class="tag math" href="/t">Math</a>',
    'In [Math](http://site.example/t)',
  ],
  ['the name of a subject, elsewhere', mathJax, '<p>In <b class="math">数学</b>', 'In **数学**'],
  [
    'prose about mathematics',
    mathJax,
    '<p class="math">Today we learn of fractions, and that 1/2 = 2/4.',
    'Today we learn of fractions, and that 1/2 = 2/4.',
  ],
  ['no script, but an index', '', '<p>So \\(f(x)^2\\) and \\[10^{6}\\]', 'So $f(x)^2$ and $10^{6}$'],
  [
    'prices',
    '',
    '<p>Legend: $ = cheap, $$ up to $20 = moderate, $$$ = expensive',
    'Legend: $ = cheap, $$ up to $20 = moderate, $$$ = expensive',
  ],
  [
    'a shell',
    '',
    '<p>kill -9 $$ # then pid=3, my_pid=4 and echo $$ again',
    'kill -9 $$ # then pid=3, my_pid=4 and echo $$ again',
  ],
  [
    'regular expressions',
    '',
    '<p>In sed, write \\(foo_bar\\) for \\1, or \\(^a\\)',
    'In sed, write \\\\(foo_bar\\\\) for \\1, or \\\\(^a\\\\)',
  ],
  ['no script, but TeX', '', '<p>So \\(\\alpha + b_1\\) and $$x^2$$', 'So $\\alpha + b_1$ and $x^2$'],
  ['no TeX', '', '<p>A group \\(foo\\), $$ and $$', 'A group \\\\(foo\\\\), $$ and $$'],
  ['code', mathJax, '<p>Write <code>\\(a_b\\)</code>', 'Write `\\(a_b\\)`'],
  ['what is to be left', mathJax, '<p class="tex2jax_ignore">So \\(a\\)', 'So \\\\(a\\\\)'],
  ['an element of GitHub', '', '<p>So <math-renderer>$a_b$</math-renderer>', 'So $a_b$'],
])('TeX in the text of a page: %s', (_, head, body, markdown) => {
  expect(markdownOf(body, head)).toBe(markdown);
});

test.each(['\\(', '$', '$$ ', '\\[a', '\\begin{align}', '\\(a\\)'])(
  'marks that are not closed cost in proportion: %s',
  (mark) => {
    const page = (size: number) => `${withDollars}<p>${mark.repeat(size)}\\)`;
    expect(growthOf(page, parsePage, 5_000)).toBeLessThan(1.6);
  },
);

test.each<[string, (size: number) => string]>([
  ['formulas before others', (size) => `${'\\(x_1\\)'.repeat(size)}<b>z</b>`],
  ['lines with a formula', (size) => `\\(x_1\\)${'x<br>'.repeat(size)}<b>z</b>`],
  ['formulas amid elements', (size) => '\\(x_1\\)<b>z</b>'.repeat(size)],
])('%s cost in proportion', (_, body) => {
  expect(growthOf((size) => `${mathJax}<p>${body(size)}`, parsePage, 5_000)).toBeLessThan(1.6);
});

test.each([
  ['The \\(L^2\\) norm of things - My Site', 'The \\(L^2\\) norm of things'],
  ['', 'The L^2 norm of things'],
])('a heading with a formula is the title: %s', (title, found) => {
  const head = `<title>${title}</title><meta property="og:site_name" content="My Site">${mathJax}`;
  const html = `<head>${head}</head><h1>The \\(L^2\\) norm of things</h1><p>Text`;
  expect(extractPage({ html, url }).title).toBe(found);
});

test('formulas stand where they stood, among what follows', () => {
  expect(markdownOf('<p>A \\(a_b\\) b<br>c \\(d_e\\)<b>f</b> \\(g_h\\)<i>i</i> j</p>', mathJax)).toBe(
    'A $a_b$ b\\\nc $d_e$**f** $g_h$*i* j',
  );
});
