import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';

const url = 'http://site.example/';
const htmlOf = (html: string) => extractPage({ html, url, onlyMainContent: false }).html;
const rowsOf = (...lines: string[]) =>
  `<table>${lines.map((line, i) => `<tr><td class="line-no">${i + 1}</td>${line}</tr>`).join('')}</table>`;
test.each([
  [
    'the caption of code in a cell stands before it',
    '<table><caption>Listing 3: <b>server.py</b></caption><tr><td>1<td><pre>a()</pre></table>',
    '<p>Listing 3: <b>server.py</b></p><pre><code>a()</code></pre>',
  ],
  [
    'the head and the foot of code stand around it',
    '<table><thead><tr><th colspan=2>app.py</thead><tr><td class=linenos><pre>1</pre><td><pre>a()</pre></td></tr><tfoot><tr><td>Of 2026</table>',
    '<p>app.py</p><pre><code>a()</code></pre><p>Of 2026</p>',
  ],
  [
    'rows with numbers are data below a head',
    `<table><thead><tr><th>No<th>Bought</thead>${rowsOf('<td class="code">A7', '<td class="code">B8').slice(7)}`,
    '<table><thead><tr><th>No</th><th>Bought</th></tr></thead><tbody><tr><td>1</td><td>A7</td></tr><tr><td>2</td><td>B8</td></tr></tbody></table>',
  ],
  [
    'rows with numbers are data where nothing says code',
    rowsOf('<td>Apples, <a href="/red">red</a>', '<td>Pears'),
    '<table><tbody><tr><td>1</td><td>Apples, <a href="http://site.example/red">red</a></td></tr><tr><td>2</td><td>Pears</td></tr></tbody></table>',
  ],
  [
    'an empty line of code is a line',
    rowsOf(...['a(', '', '1)'].map((text) => `<td class="hljs-ln-code"><span>${text}</span>`)),
    '<pre><code>a(||1)</code></pre>',
  ],
])('%s', (_name, body, html) => {
  expect(
    htmlOf(body)
      .replace(/\n(?=<|$)/g, '')
      .replaceAll('\n', '|'),
  ).toBe(html);
});

test.each([
  ['<pre class="hljs python copyable"><code>a', 'python'],
  ['<pre><code class="has-numbering hljs">a', null],
  ['<pre><code class="hljs undefined">a', null],
  ['<pre class="wp-block-code hljs"><code class="code__pre">a', null],
  ['<pre><code class="hljs coffeescript">a', 'coffeescript'],
  ['<div class="python hljs"><pre>a', null],
])('the language of %s is %s', (body, language) => {
  expect(/language-(\w+)/.exec(htmlOf(body))?.[1] ?? null).toBe(language);
});
