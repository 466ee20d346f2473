import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { parsePage } from '../../src/workers/extract/parse-page.ts';
import { convertHtml } from '../../src/workers/markdown/make-markdown.ts';
import { growthOf } from '../support/growth.ts';

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

const codeOf = (body: string) => {
  const [, language = '', code = ''] =
    /<pre><code(?: class="language-([^"]+)")?>([^]*?)\n<\/code>/.exec(
      htmlOf(`<p>So:</p>${body}<p>End</p>`),
    ) ?? [];
  return (language === '' ? '' : `${language}: `) + code.replaceAll('\n', '|');
};
const lines = ['def f():', '    return 1', '', 'f()'];
const nbsp = (text: string) => text.replaceAll(' ', '&nbsp;');

test.each([
  [
    'Doxygen',
    `<div class="fragment">${lines.map((line, at) => `<div class="line"><a name="l${at}"></a><span class="lineno">    ${at}</span>&#160;${nbsp(line)}</div>`).join('')}<div class="ttc"><p>void f()</p></div></div>`,
  ],
  [
    'CodeMirror 5',
    `<div class="CodeMirror cm-s-default"><div class="CodeMirror-scroll"><div class="CodeMirror-lines"><div class="CodeMirror-measure"><pre>x</pre></div><div class="CodeMirror-code">${lines.map((line, at) => `<div style="position: relative"><div class="CodeMirror-gutter-wrapper"><div class="CodeMirror-linenumber CodeMirror-gutter-elt">${at}</div></div><pre class=" CodeMirror-line "><span>${line || '\u200b'}</span></pre></div>`).join('')}</div></div></div></div>`,
  ],
  [
    'CodeMirror 6',
    `<div class="cm-editor"><div class="cm-scroller"><div class="cm-gutters" aria-hidden="true">${lines.map((_, at) => `<div class="cm-gutterElement">${at}</div>`).join('')}</div><div class="cm-content">${lines.map((line) => `<div class="cm-line">${line || '<br>'}</div>`).join('')}</div></div></div>`,
  ],
  [
    'Monaco',
    `<div class="monaco-editor" role="code"><div class="margin"><div class="line-numbers">1</div></div><div class="view-lines">${lines
      .map(
        (line, at) =>
          `<div style="top:${at * 19}px" class="view-line"><span><span class="mtk1">${nbsp(line)}</span></span></div>`,
      )
      .toReversed()
      .join('')}</div></div>`,
  ],
  [
    'Ace',
    `<div class="ace_editor"><div class="ace_gutter"><div class="ace_gutter-cell">1</div></div><div class="ace_layer ace_text-layer">${lines.map((line) => `<div class="ace_line_group"><div class="ace_line">${line}</div></div>`).join('')}</div></div>`,
  ],
  [
    'lines named as such',
    `<div class="code-block">${lines.map((line) => `<div class="line">${line}</div>`).join('')}</div>`,
  ],
  ['code with breaks', `<p><code>${lines.map(nbsp).join('<br>\n')}</code></p>`],
  ['code whose style keeps spaces', `<div><code style="white-space: pre">${lines.join('\n')}</code></div>`],
  ['code named as such, alone', `<div class="highlight"><code>${lines.join('\n')}</code></div>`],
  ['code a line', `<p>${lines.map((line) => `<code>${nbsp(line)}</code>`).join('<br>')}</p>`],
  [
    'what looks like code by its style',
    `<div style="font-family: 'Courier New', monospace">${lines.map(nbsp).join('<br>')}</div>`,
  ],
  [
    'what keeps its spaces in a font of code',
    `<div style="white-space: pre-wrap; font-family: Menlo">${lines.join('\n')}</div>`,
  ],
  ['an element of old', `<xmp>${lines.join('\n')}</xmp>`],
])('%s is code with its lines', (_, body) => {
  expect(codeOf(body)).toBe(lines.join('|'));
});

test('lines of HTML within code are none of the code', () => {
  expect(codeOf('<p><code class="language-js">\n  a(b,\n  c)<br>\n  <b>d</b>\n  (e)</code>')).toBe(
    'js: a(b, c)|d (e)',
  );
});

test.each([
  '<p>Say <code>a</code><br>or <code>b</code></p>',
  '<p>Say <code>a\nb</code> now</p>',
  '<div class="poem"><div class="line">Roses are red</div><div class="line">Violets are blue</div></div>',
  '<div class="highlight"><div class="line">Roses are red,</div><div class="line">violets are blue.</div></div>',
  '<p style="font-family: monospace">Roses are red<br>Violets are blue</p>',
  '<div style="font-family: Courier New, monospace">Dear reader (of this page)<br>see <a href="/x">the site (here)</a><br>yours (truly)</div>',
  '<p><code>npm start<br></code></p>',
  '<div class="listing"><div class="line"><a href="/1">Flat in Rome</a> (sold)</div><div class="line">Flat (let)</div></div>',
  '<div class="code"><div class="line"><a href="/1">Flat</a> (sold)</div><div class="line"><a href="/2">House</a> (let)</div></div>',
  '<div class="code"><h3 class="line">Flats (two)</h3><div class="line">Houses (three)</div></div>',
  '<div class="code"><div class="line">Houses (three)</div><div class="line">Flats</div><div class="line">Farms</div></div>',
  '<div class="fragment"><div class="line">Roses are red,</div><div class="line">violets are blue.</div></div>',
])('no code of several lines: %s', (body) => {
  expect(htmlOf(body)).not.toContain('<pre>');
});

test.each([
  '<div class="fragment"><h2>Heading</h2><p>Big text <a href="/l">link</a></p><p class="tag-line">Slogan(1);</p></div>',
  '<div class="fragment"><p class="copy">Big text</p><div class="line">f(1);</div></div>',
  '<div class="fragment"><div class="line">f(1);</div><img src="/a.png" alt="Big text"></div>',
  '<div class="cm-content"><p>Big text</p><div class="cm-line">f(1);</div></div>',
  '<div class="view-lines"><div class="view-line">f(1);</div><div class="CodeMirror-linewidget">Big text</div></div>',
])('what stands beside lines is not lost: %s', (body) => {
  const html = htmlOf(body);
  expect(html).toMatch(/Big text/);
  expect(html).not.toContain('<pre>');
});

test('what an editor shows beside its lines is kept, but for line numbers', () => {
  const code = '<div class="CodeMirror-code"><div class="CodeMirror-line">f(1);</div></div>';
  const html = htmlOf(
    `<div class="CodeMirror"><div class="CodeMirror-gutters">17</div><p>Of 2026</p>${code}</div>`,
  );
  expect(html).toContain('<pre><code>f(1);\n</code></pre>');
  expect(html).toContain('Of 2026');
});

test('lines of Doxygen may stand in folds, and have links', () => {
  expect(
    codeOf(
      '<div class="fragment"><div class="foldopen"><div class="line"><span class="lineno">1</span><a class="code" href="/f">f</a>:</div></div><div class="line"><span class="lineno">2</span>  g</div></div>',
    ),
  ).toBe('f:|  g');
});

test.each<[string, (size: number) => string]>([
  ['empty lines', (size) => `<p><code>${'<br>'.repeat(size)}a<br>b</code></p>`],
  ['spaces of code', (size) => `<p><code>${' '.repeat(size)}x</code><br><code>y</code></p>`],
  ['lines in lines', (size) => '<div class="code"><div class="line">'.repeat(Math.min(size, 25_000))],
  [
    'editors in editors',
    (size) =>
      '<div class="cm-editor"><div class="cm-content"><i class="line"></i>'.repeat(Math.min(size, 25_000)),
  ],
])('%s cost in proportion', (_, make) => {
  expect(growthOf(make, parsePage, 1_000)).toBeLessThan(1.6);
});

test.each([
  [
    'named lines',
    '<pre><code><span class="code-line">if a:</span><span class="code-line">  b()</span><span class="code-line">c()</span></code></pre>',
  ],
  [
    'styled lines',
    '<pre><span style="display:block">if a:</span><span style="display:block">  b()</span><span style="display:block">c()</span></pre>',
  ],
  ['lines with numbers', '<pre><i data-line=1>if a:</i><i data-line=2>  b()</i><i data-line=3>c()</i></pre>'],
  [
    'named lines with breaks',
    '<pre><b class=line>if a:\n</b><b class=line>  b()\n</b><b class=line>c()</b></pre>',
  ],
  [
    'spaces that do not break',
    '<table class=code><tr><td class=gutter><div class=line>1</div><div class=line>2</div><div class=line>3</div><td class=code><div class=line>if a:</div><div class=line>&nbsp;&nbsp;b()</div><div class=line>c()</div></table>',
  ],
])('code of %s keeps its lines', (_, html) => {
  expect(htmlOf(html)).toBe('<pre><code>if a:\n  b()\nc()\n</code></pre>');
});

test.each([
  ['<pre><code><span data-line=1>foo</span><span data-line=1>bar</span></code></pre>', 'foobar'],
  ['<pre><code><i data-line=1>foo</i><i data-line=1>bar</i><i data-line=2>x</i></code></pre>', 'foobarx'],
  ['<pre><code><span data-line>foo</span><span data-line>bar</span></code></pre>', 'foobar'],
  ['<pre><span class=line>a</span> <span class=line>b</span></pre>', 'a b'],
])('words of one line of code stay one: %s', (html, code) => {
  expect(htmlOf(html)).toBe(`<pre><code>${code}\n</code></pre>`);
});

const selected = (html: string, wishes: { selector?: string; excludeSelectors?: string[] }): string =>
  extractPage({ html, url, onlyMainContent: false, ...wishes }).html;
const numbered = `<p>Before</p><div class="hl">${rowsOf('<td class="code">if a:', '<td class="code old">  b()', '<td class="code">  c()')}</div>`;
const highlighted =
  '<p>Before</p><code class="hl" style="white-space:pre"><i class=n>1 </i>if a:<br><i class=n>2 </i>  b()</code>';
const monaco =
  '<p>Before</p><div class="monaco-editor"><div class="margin">1</div><div class="view-lines"><div class="view-line">if a:</div><div class="view-line old">  b()</div></div></div>';

test.each<[string, string, { selector?: string; excludeSelectors?: string[] }, string]>([
  ['numbers of a table', numbered, { excludeSelectors: ['.line-no'] }, 'if a:\n  b()\n  c()'],
  ['a line of a table', numbered, { excludeSelectors: ['.old'] }, 'if a:\n  c()'],
  ['numbers within lines', highlighted, { excludeSelectors: ['.n'] }, 'if a:\n  b()'],
  ['a line of an editor', monaco, { excludeSelectors: ['.old', '.margin'] }, 'if a:'],
])('code without %s that are excluded is code still', (_, html, wishes, code) => {
  expect(selected(html, wishes)).toBe(`<p>Before</p>\n<pre><code>${code}\n</code></pre>`);
});

test.each([
  ['a table', numbered, '.hl table', 'if a:\n  b()\n  c()'],
  ['a part of a line', highlighted, '.hl .n', '1 if a:\n2   b()'],
  ['a line of an editor', monaco, '.view-line', 'if a:\n  b()'],
  ['what it is made', monaco, 'pre', 'if a:\n  b()'],
])('code is selected by %s', (_, html, selector, code) => {
  expect(selected(html, { selector })).toBe(`<pre><code>${code}\n</code></pre>`);
  expect(selected(html, { excludeSelectors: [selector.replace(/ .n$/, '')] })).not.toContain('<pre><code>if');
});

test('code that is excluded as a whole is gone', () => {
  for (const one of ['table', 'td', '.hl', 'tr', 'pre'])
    expect(selected(numbered, { excludeSelectors: [one] })).toBe('<p>Before</p>');
});

const button = '<button class="copy" title="Copy"></button>';
const framed = (frame: string): string =>
  `<div class="theme"><nav><a href=/>Home</a></nav><main><h1>Installing it</h1><p>There are several ways to install the program, and this is the one that most people take.</p>${frame}<p>Then start it with the name of the file, which it cuts into sheets of the same thickness.</p></main></div>`;

test.each([
  [
    'VitePress',
    `<div class="language-sh vp-adaptive-theme">${button}<span class="lang">sh</span><pre class="shiki"><code>make slate</code></pre></div>`,
    '```sh',
  ],
  [
    'Prism with a toolbar',
    '<div class="code-toolbar"><pre class="language-sh"><code>make slate</code></pre><div class="toolbar"><div class="toolbar-item"><span>Shell</span></div><div class="toolbar-item"><button>Copy</button></div></div></div>',
    '```sh',
  ],
  ['a plain box', '<div><button>Copy</button><pre>make slate</pre></div>', '```'],
  [
    'Docusaurus',
    '<div class="language-sh codeBlockContainer_x"><div class="codeBlockTitle_x">build.sh</div><div class="codeBlockContent_x"><pre class="prism-code language-sh"><code>make slate</code></pre><div class="buttonGroup_x"><button aria-label="Copy code"><span>Copy</span></button></div></div></div>',
    'build.sh\n\n```sh',
  ],
  [
    'Expressive Code',
    '<div class="expressive-code"><figure class="frame has-title"><figcaption class="header"><span class="title">build.sh</span></figcaption><pre data-language="sh"><code>make slate</code></pre><div class="copy"><div aria-live="polite"></div><button title="Copy to clipboard"><div></div></button></div></figure></div>',
    'build.sh\n\n```sh',
  ],
  [
    'a theme of Hexo',
    '<figure class="highlight sh"><div class="highlight-tools"><div class="code-lang">sh</div><div class="copy-notice">Copied</div></div><pre><code class="sh">make slate</code></pre></figure>',
    '```sh',
  ],
  [
    'a line above the code',
    '<div class="code-header"><span class="language">Bash</span><button>Copy</button></div><pre><code class="lang-bash">make slate</code></pre>',
    '```bash',
  ],
])('code in the frame of %s is kept without the labels of the frame', (_, frame, head) => {
  const { html } = extractPage({ html: framed(frame), url });
  const markdown = convertHtml(html, { base: null, links: 'inline', images: true });
  expect(markdown).toContain(`take.\n\n${head}\nmake slate\n\`\`\`\n\nThen start`);
});

test('words beside code that are no labels of it stay', () => {
  const { text } = extractPage({
    html: framed(
      '<p class="main-copy">Type this line to split:</p><pre class="language-sh">split</pre><p>sh</p><div class="example"><h3>Python</h3><pre class="language-python">print(1)</pre><p>Output</p><pre>1</pre></div><pre>make slate</pre>',
    ),
    url,
  });
  for (const part of [
    'Type this line to split:',
    'split\n\nsh',
    'Python',
    'print(1)',
    'Output',
    '1',
    'make slate',
  ])
    expect(text).toContain(part);
});

test('the name of another language on the frame of code is that of a file or a program', () => {
  const { text } = extractPage({
    html: framed(
      '<div class="codeblock"><div class="filename">nginx</div><pre class="language-bash">nginx -t</pre></div>',
    ),
    url,
  });
  expect(text).toContain('nginx\n\nnginx -t');
});

test('a paragraph of one word over code is text', () => {
  const { text } = extractPage({
    html: framed('<div><p>Terminal</p><pre class="language-bash">nginx -t</pre></div>'),
    url,
  });
  expect(text).toContain('Terminal\n\nnginx -t');
});
