import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import makeMarkdown from '../../src/workers/markdown/make-markdown.ts';
import { call } from '../support/client.ts';
import { startSite, type Site } from '../support/site.ts';
import { quarryArticle } from '../support/site/content.ts';

const path = '/api/proxy/web/v1/convert/markdown';

let site: Site;
beforeAll(async () => {
  site = await startSite();
  site.serve('/content/article', quarryArticle);
});
afterAll(() => site.close());

const convert = async (options: Record<string, unknown> = {}) => {
  const { body } = await call(path, { body: { url: `${site.origin}/content/article`, ...options } });
  return body;
};

test('an article as markdown, with what is known of it', async () => {
  const { data } = await convert();
  expect(data).toMatchObject({
    title: 'How slate is split',
    truncated: false,
    metadata: { byline: 'Ada Quarryman', publishedAt: '2026-03-14T09:30:00+01:00', language: 'en-GB' },
  });
  expect(data.tokens).toBeGreaterThan(300);
  expect(data.markdown).toContain(`[cleavage](${site.origin}/glossary#cleavage)`);
  expect(data.markdown).toContain('> You do not force the stone.');
  expect(data.markdown).toContain('1. Lay the block on its side');
  expect(data.markdown).toContain(
    '| Roof | Sheet |\n| - | - |\n| Church of the valley | Nine millimetres thick |',
  );
  expect(data.markdown).toContain(
    '```python\ndef split(block):\n    for layer in block:\n        yield layer\n```',
  );
  expect(data.markdown).toContain(`![A man with a chisel](${site.origin}/splitting.jpg)`);
  expect(data.markdown).not.toContain('newsletter');
});

describe('options', () => {
  test('links referenced, and none', async () => {
    const referenced = (await convert({ links: 'referenced' }))['data'].markdown;
    expect(referenced).toContain('[cleavage][1]');
    expect(referenced).toContain(`[1]: ${site.origin}/glossary#cleavage`);
    expect((await convert({ links: 'none' }))['data'].markdown).not.toMatch(/(^|[^!])\[[^\]]*\]\(/m);
  });

  test('without images', async () => {
    expect((await convert({ images: false }))['data'].markdown).not.toContain('![');
  });

  test('front matter', async () => {
    const { data } = await convert({ frontMatter: true });
    expect(data.markdown).toMatch(
      /^---\ntitle: "How slate is split"\nurl: "http[^"]+"\nauthor: "Ada Quarryman"\ndate: "2026-03-14T09:30:00\+01:00"\nlanguage: "en-GB"\n---\n\n/,
    );
  });

  test('the whole page', async () => {
    const { data } = await convert({ onlyMainContent: false });
    expect(data.markdown).toContain('Subscribe to our newsletter');
    expect(data.markdown).toContain('First comment');
  });

  test('a bound of tokens cuts between two blocks, and is told', async () => {
    const { data, meta } = await convert({ maxTokens: 150 });
    expect(data.truncated).toBe(true);
    expect(data.tokens).toBeLessThanOrEqual(150);
    expect(data.tokens).toBeGreaterThan(50);
    expect(data.markdown).toMatch(/[.!?]$/);
    expect(meta.warnings).toMatchObject([{ code: 'markdown_truncated' }]);
  });

  test('a front matter is never cut', async () => {
    const { data } = await convert({ maxTokens: 8, frontMatter: true });
    expect(data.markdown).toBe('Slate is split along its');
  });
});

test('a list: one entry a URL, in its order', async () => {
  const urls = [`${site.origin}/content/article`, `${site.origin}/report.pdf`];
  const { body } = await call(`${path}/urls`, { body: { urls, render: 'http', links: 'none' } });
  expect(body['data']).toMatchObject({ succeeded: 2, failed: 0, results: [{ ok: true }, { ok: true }] });
  expect(body['data'].results[1].data.markdown).toContain('Slate is split, never sawn.');
});

const base = 'http://stones.example/slate';
const extracted = (html: string) => extractPage({ html, url: base, onlyMainContent: false });
const markdownOf = (html: string): string =>
  makeMarkdown({
    html: extracted(html).html,
    base,
    links: 'inline',
    images: true,
    frontMatter: {},
    maxTokens: null,
  }).markdown;
const gif = 'src="data:image/gif;base64,R0"';
const noted = '<p>Split<sup><a href="#fn1">1</a></sup>';
const notes = '<ol><li id="fn1">By hand. <a href="#fnref1">↩</a></li></ol>';
const code = '<pre>def f():\n\n    return 1\n</pre>';
const fenced = '```python\ndef f():\n\n    return 1\n```';

describe('markup becomes', () => {
  test.each([
    ['a break at the end of a paragraph', '<p>On Tuesday.<br></p><p>Then</p>', 'On Tuesday.\n\nThen'],
    ['a break at the end of bold text', '<p><b>Label:<br></b>Text</p>', '**Label:**\\\nText'],
    ['a break at the head of bold text', '<p>Say<b><br>text</b></p>', 'Say\\\n**text**'],
    ['keys side by side', '<p><kbd>Ctrl</kbd><kbd>C</kbd></p>', '`CtrlC`'],
    ['formulas side by side', '<p><math>a</math><math>b</math></p>', '$a$ $b$'],
    ['deletions side by side and in each other', '<p><s>a</s><s>b<del>c</del></s></p>', '~~abc~~'],
    ['a bold term', '<dl><dt><b>Slate</b></dt><dd>A stone</dd></dl>', '**Slate**\n\n- A stone'],
    [
      'items with numbers',
      '<ol><li value="5">a</li><li>b</li><li value="9">c</li></ol>',
      '5. a\n6. b\n\n9) c',
    ],
    ['items that count down', '<ol reversed><li>a</li><li>b</li></ol>', '2. a\n\n1) b'],
    [
      'details',
      '<details><summary>2 * 3 &lt;b&gt; <code>a_b</code></summary>Text</details>',
      '<details>\n\n<summary>2 * 3 &lt;b&gt; a_b</summary>\n\nText\n\n</details>',
    ],
    [
      'a formula for machines, beside its picture',
      '<p>Is <span style="display: none"><math alttext="r^2"></math></span><img src=a.svg aria-hidden=true alt=r></p>',
      'Is $r^2$',
    ],
    ['a formula in a script', '<p>So <script type="math/tex">E=mc^2</script> holds</p>', 'So $E=mc^2$ holds'],
    [
      'a formula that is drawn before its script',
      '<div class="MathJax_Display">E=</div><script type="math/tex; mode=display">% <![CDATA[\nE=m %]]></script>',
      '$$\nE=m\n$$',
    ],
    [
      'links beside a footnote',
      `${noted} by <a href="#references">all</a>, <a href="/b#fn1">others</a></p>${notes}`,
      `Split[^1] by [all](${base}#references), [others](http://stones.example/b#fn1)\n\n[^1]: By hand.`,
    ],
    [
      'items that are no footnotes',
      '<p><a href="#notebook">It</a></p><ul><li id="notebook">A book</li></ul>',
      `[It](${base}#notebook)\n\n- A book`,
    ],
    [
      'code beside its line numbers',
      `<div class="highlight-python"><table><tr><td class="linenos"><pre>1\n2\n3</pre></td><td>${code}</td></tr></table></div>`,
      fenced,
    ],
    [
      'code and its numbers in cells of lines',
      '<div class="syntaxhighlighter ruby"><table><tr><td class="gutter"><div>1</div><div>2</div><td class="code"><div><div><code>a =</code> 1</div><div></div></div></table></div><p>b',
      '```ruby\na = 1\n```\n\nb',
    ],
    [
      'code with a row for each line',
      '<table><tr><td data-line-number="1"><td>a(<tr><td data-line-number="2"><td>  1)</table>',
      '```\na(\n  1)\n```',
    ],
    [
      'code alone in a table',
      '<figure class="highlight bash"><table><tr><td class="code"><pre>a<br>b</pre></table></figure>',
      '```bash\na\nb\n```',
    ],
    [
      'code in the names of a highlighter',
      '<pre><code class="python hljs">a</code></pre>',
      '```python\na\n```',
    ],
    [
      'code whose names are those of line numbers',
      '<pre><code class="language-js line-numbers"><span class="copy">cp</span> <span class="lineno-2">b</span></code></pre>',
      '```js\ncp b\n```',
    ],
    [
      'cells that reach to the end of a part of a table, and its foot at its end',
      '<table><tfoot><tr><td>Sum<td>3</tfoot><thead><tr><th rowspan=9>A<th>B</thead><tr><td rowspan=0>c<td>d<tr><td>e</table>',
      '| A | B |\n| - | - |\n| c | d |\n| | e |\n| Sum | 3 |',
    ],
    [
      'columns whose cells are aligned by styles, or below their heads only',
      '<table><tr><th style="text-align: center">A<th>B<tr><td>1<td align=right>2<tr><td>3<td>4</table>',
      '| A | B |\n| :-: | -: |\n| 1 | 2 |\n| 3 | 4 |',
    ],
    [
      'a bar of a formula in a cell',
      '<table><tr><th>A<th>B<tr><td><math alttext="|x|"></math><td>c</table>',
      '| A | B |\n| - | - |\n| $\\|x\\|$ | c |',
    ],
    ['a list between items', '<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>', '- a\n  - b\n- c'],
    [
      'the box of a task with a label',
      '<ul><li><label><input type=checkbox disabled checked>a</label></li></ul>',
      '- [x] a',
    ],
    [
      'the sign before the links back of a note',
      '<p>A<sup><a href="#cite_note-1">[1]</a></sup></p><ol><li id="cite_note-1"><span>^ <a href="#cite_ref-1_0">a</a></span> By hand.</li></ol>',
      'A[^1]\n\n[^1]: By hand.',
    ],
    ['rules at the ends', '<hr><p>a</p><hr><p>b</p><hr><div><hr></div>', 'a\n\n---\n\nb'],
    ['what is told to who runs no scripts', '<p>Slate</p><noscript>Enable JavaScript.</noscript>', 'Slate'],
  ])('%s', (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  test.each([
    ['<img src="/google-pixel-9.png">', '/google-pixel-9.png'],
    ['<img src="/spacer.gif"><img src="/transparent-logo.png">', '/transparent-logo.png'],
    ['<img src="/loading.gif" data-src="/a.jpg">', '/a.jpg'],
    ['<img src="/a.jpg" data-src="/{width}.jpg">', '/a.jpg'],
    [`<img ${gif} data-src="/a.jpg"><noscript><img src="/a.jpg?w=1"></noscript>`, '/a.jpg'],
    [`<noscript><img src="/a.jpg"></noscript><img ${gif}>`, '/a.jpg'],
    [`<picture><source data-srcset="/a.webp 1x"><img ${gif}></picture>`, '/a.webp'],
    ['<img data-srcset="/a.jpg 480w\n">', '/a.jpg'],
    ['<img srcset="/a,1.jpg 480w,/b.jpg 800w, /c.jpg 2w">', '/b.jpg'],
  ])('%s', (html, address) => {
    expect(markdownOf(`<p>${html}</p>`)).toBe(`![](http://stones.example${address})`);
  });
});

test('the parts of a cell stand in lines, cells alone are set apart by tabs', () => {
  const cells = '<td><p>x1</p><p>x2</p></td><td><ul><li>y</li><li>z</li></ul></td>';
  expect(extracted(`<table><tr><th>A</th><th>B</th></tr><tr>${cells}</tr></table>`).text).toBe(
    'A\tB\nx1\nx2\ty\nz',
  );
});

test('a page that stands in `noscript` is read there', () => {
  const text = 'Slate is split, never sawn. '.repeat(10).trim();
  expect(extracted(`<noscript><p>${text}</p></noscript><p>Wait</p>`).text).toBe(`${text}\n\nWait`);
});

test('emphasis that is never closed is not written anew for each paragraph', () => {
  const html = `${'<b><i><u>'.repeat(300)}${'<p>word</p>'.repeat(100)}`;
  expect(extracted(html).html.length).toBeLessThan(10 * html.length);
});

test('code in a figure stays between the paragraphs that tell of it', () => {
  const said = `<p>${'It says something about code, at some length. '.repeat(8)}</p>`;
  const figure = '<figure class="highlight js"><figcaption>a.js</figcaption><pre>a()<br>b()</pre></figure>';
  const html = `<article><h1>Slate</h1>${said}${figure}<p>Then we see what it gives, and how the second one differs from it in the end.</p><p>Another paragraph follows here, with enough words in it to be read as text.</p></article>`;
  expect(extractPage({ html, url: base }).text).toContain('a()\nb()');
});
