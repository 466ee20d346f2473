import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { convertHtml } from '../../src/workers/markdown/make-markdown.ts';

const url = 'http://site.example/';
const markdownOf = (body: string) =>
  convertHtml(extractPage({ html: body, url, onlyMainContent: false }).html, {
    base: url,
    links: 'inline',
    images: true,
  });

test('items that raised links lead to are notes, whatever they are called', () => {
  expect(
    markdownOf(
      '<p>Text<sup class="fn"><a href="#8f0e-11" id="8f0e-11-link">1</a></sup></p><ol class="wp-block-footnotes"><li id="8f0e-11">Note <a href="#8f0e-11-link">↩︎</a></li></ol>',
    ),
  ).toBe('Text[^1]\n\n[^1]: Note');
});

test('items that other links lead to are items', () => {
  expect(markdownOf('<p><a href="#a">1</a> x<sup>2</sup></p><ol><li id="a">One</li></ol>')).toContain(
    '1. One',
  );
});

test('an item that a raised link leads to stays in its list, where others are no notes', () => {
  expect(
    markdownOf(
      '<p>Text<sup><a href="#r2">2</a></sup> so.</p><ol><li>One</li><li id="r2">Two</li><li>Three</li></ol>',
    ),
  ).toBe(`Text<sup>[2](${url}#r2)</sup> so.\n\n1. One\n2. Two\n3. Three`);
});

test('items without text are no others', () => {
  expect(
    markdownOf('<p>Text<sup><a href="#r1">1</a></sup></p><ol><li> </li><li id="r1">Note</li></ol>'),
  ).toBe('Text[^1]\n\n[^1]: Note');
});

test('links that are not raised keep their words where a raised one leads to the same item', () => {
  expect(
    markdownOf(
      '<p>See<sup><a href="#p1">[1]</a></sup>, see <a href="#p1">First</a>.</p><ul><li id="p1">One</li></ul>',
    ),
  ).toBe(`See[^1], see [First](${url}#p1).\n\n[^1]: One`);
  expect(
    markdownOf(
      '<p>See<a href="#fn1">1</a>, see <sup><a href="#fn1">1</a></sup></p><ol><li id="fn1">One</li></ol>',
    ),
  ).toBe('See[^1], see [^1]\n\n[^1]: One');
});
