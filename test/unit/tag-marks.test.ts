import { expect, test } from 'vitest';
import { convertHtml } from '../../src/workers/markdown/make-markdown.ts';

const write = (line: string): string =>
  convertHtml(`<p>${line}</p>`, { base: 'https://example.org/', links: 'inline', images: true });

test.each([
  [
    'これは<strong>「重要」</strong>です。中文<b>（注意）</b>内容',
    'これは<strong>「重要」</strong>です。中文<strong>（注意）</strong>内容',
  ],
  ['彼は<b>「はい。」</b>と言った', '彼は<strong>「はい。」</strong>と言った'],
  ['詳しくは<b><a href="/x">こちら</a></b>を', '詳しくは<strong>[こちら](https://example.org/x)</strong>を'],
  ['値<del>（旧）</del>と', '値<del>（旧）</del>と'],
  ['word<b>(x)</b>word', 'word<strong>(x)</strong>word'],
  ['<i>Note:</i>text', '<em>Note:</em>text'],
  ['語<b><i>太字</i></b>語', '語<strong>*太字*</strong>語'],
  ['<b>あ</b><i>い</i>う', '**あ**<em>い</em>う'],
  ['<b><i>あ</i>い</b>う', '**<em>あ</em>い**う'],
])('emphasis that marks do not form beside a letter is HTML: %s', (line, markdown) => {
  expect(write(line)).toBe(markdown);
});

test.each([
  ['これは<b>重要</b>です', 'これは**重要**です'],
  ['un<i>bear</i>able, <b>bold</b>, “<i>it</i>” <b>(so)</b>.', 'un*bear*able, **bold**, “*it*” **(so)**.'],
  ['<b>「重要」</b>、<i>（注）</i>。', '**「重要」**、*（注）*。'],
  ['<b>a <i>b</i></b> <b><i>c</i></b>', '**a _b_** **_c_**'],
])('emphasis that marks form is written with them: %s', (line, markdown) => {
  expect(write(line)).toBe(markdown);
});
