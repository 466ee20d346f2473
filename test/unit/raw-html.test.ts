import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { convertHtml } from '../../src/workers/markdown/make-markdown.ts';

const convert = (html: string): string => convertHtml(html, { base: null, links: 'inline', images: true });

test.each([
  ['an unknown element', '<p>Run git clone <url> now', 'Run git clone <url> now</url>'],
  [
    'a custom one',
    '<p>See <x-map at="a|b" onload=go()>here</x-map>',
    'See <x-map at="a&#124;b">here</x-map>',
  ],
  ['its value', '<p>A <x-b c=\'"1"\n2\'></x-b>', 'A <x-b c="&quot;1&quot; 2"></x-b>'],
  ['a comment in a line', '<p>One <!-- a\n\nb --> two', 'One <!-- a b --> two'],
  [
    'one between blocks',
    '<p>One<!-- a -->\n</p><!-- b\n\nc --><p>Two',
    'One<!-- a -->\n\n<!-- b\n\nc -->\n\nTwo',
  ],
  ['raised and lowered text', '<p>H<sub class=a>2</sub>O', 'H<sub>2</sub>O'],
])('%s is kept as HTML', (_, html, markdown) => {
  expect(convert(html)).toBe(markdown);
});

test.each([
  ['between items', '<ul><li>One</li><!-- a --><li>Two</li></ul>', '- One\n- Two'],
  [
    'between rows',
    '<table><tr><th>A<th>B</tr><!-- a --><tr><td>1<td>2</table>',
    '| A | B |\n| - | - |\n| 1 | 2 |',
  ],
  [
    'in a heading and a cell',
    '<h2>One<!-- a\nb --></h2><table><tr><th>A<!-- a --><th>B</table>',
    '## One\n\n| A | B |\n| - | - |',
  ],
])('comments %s are not', (_, html, markdown) => {
  expect(convert(html)).toBe(markdown);
});

test('what HTML knows, and office programs write, is text', () => {
  const html =
    '<p><ins>a</ins><mark>b</mark><u>c</u><small>d</small><font>e</font><o:p>f</o:p><abbr>g</abbr></p><table><colgroup><col><tr><th>A<th>B</table>';
  expect(convert(html)).toBe('abcdefg\n\n| A | B |\n| - | - |');
});

test('of a page, comments and elements without a meaning are left out', () => {
  const html =
    '<p>The block <!-- todo --><x-b class="c">has to be <mark>wet</mark></x-b> when it is split.</p>';
  const page = extractPage({ html, url: 'https://slate.example/', onlyMainContent: false });
  expect(convert(page.html)).toBe('The block has to be wet when it is split.');
});

test.each([
  ['?q=%FC&gclid=1', '?q=%FC'],
  ['?flag&utm_source=x', '?flag'],
  ['?%75tm_source=x&q=%FC&gcl%69d=1', '?q=%FC'],
  ['?%FCtm_source=x&fbclid=1', '?%FCtm_source=x'],
  ['?utm_source=x&path=a/b:c&fbclid=1', '?path=a/b:c'],
  ['?q=a%20b+c&UTM_Medium=x#top', '?q=a%20b+c#top'],
  ['?a=1&&b=%2f&_ga=2.1&_gl=1*x', '?a=1&&b=%2f'],
  ['?pk_campaign=a&mtm_kwd=b&li_fat_id=c&_openstat=d', ''],
  ['?pk_id=7&mtm=1&_gallery=2&ref=x&source=y', '?pk_id=7&mtm=1&_gallery=2&ref=x&source=y'],
  ['?note=gclid=1&x=utm_source', '?note=gclid=1&x=utm_source'],
])('a link loses what follows its reader about, and nothing else: %s', (query, kept) => {
  const link = (address: string) => `[a](http://a.test/b${address})`;
  const markdown = convert(`<p><a href="http://a.test/b${query.replaceAll('&', '&amp;')}">a</a>`);
  // What might begin a reference is escaped, which is nothing of the address.
  expect(markdown.replaceAll('\\&', '&')).toBe(link(kept));
});
