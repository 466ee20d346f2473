import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { convertHtml } from '../../src/workers/markdown/make-markdown.ts';

const url = 'http://forum.example/viewtopic.php?t=1';
const markdownOf = (html: string): string =>
  convertHtml(html, { base: url, links: 'inline', images: true }).trim();
const reply =
  '<p>The block has to be wet when it is split, or the sheets break at the edges, as the old hands say.</p>';

test.each([
  [
    '<blockquote><div><cite>ann wrote: <span>Fri, 12:00</span></cite>What oil?</div></blockquote>',
    'ann wrote: Fri, 12:00',
  ],
  ['<blockquote><cite>ann wrote:</cite> What oil?</blockquote>', 'ann wrote:'],
  ['<blockquote><cite>山田：</cite>What oil?</blockquote>', '山田：'],
])('the line that says whose a quotation is stands by itself: %s', (quote, source) => {
  expect(markdownOf(quote)).toBe(`> *${source}*\n>\n> What oil?`);
  const { text } = extractPage({ html: `<title>Oil</title><h1>Oil</h1>${reply}${quote}${reply}`, url });
  expect(text).toContain(`\n\n${source}\n\nWhat oil?\n\n`);
});

test.each([
  ['<blockquote><cite>The Book</cite> is fine</blockquote>', '> *The Book* is fine'],
  ['<blockquote>As <cite>ann:</cite> says</blockquote>', '> As *ann:* says'],
  ['<p><cite>ann:</cite> says</p>', '*ann:* says'],
  ['<blockquote><cite>源氏物語</cite>は、長い。</blockquote>', '> *源氏物語*は、長い。'],
  ['<blockquote><cite>红楼梦</cite>很长。</blockquote>', '> *红楼梦*很长。'],
])('a work or a person that a sentence names stays in it: %s', (html, markdown) => {
  expect(markdownOf(html)).toBe(markdown);
});
