import { expect, test } from 'vitest';
import { frameMark, putFrames } from '../../src/workers/page/load/frame-content.ts';
import { judgePage } from '../../src/workers/page/engine/needs-browser.ts';

const text = '<p>' + 'A sentence of an article that says something. '.repeat(30) + '</p>';
const script = '<script src="a.js"></script>';

test.each([
  ['two places of content, the first of them empty', '<main></main><main>Hello</main>', false],
  ['the same beside a script', `<main></main><main>${text}</main>${script}`, true],
  [
    'places of content one in the other, all empty',
    `<main><main><main></main></main></main>${text}${script}`,
    true,
  ],
  ['ends without a beginning', `</main></main><main>${text}</main></main>${script}`, false],
  ['a place of content that never ends', `<main><div id="app"><main>${text}</main>${script}`, false],
  [
    'an empty place that another one follows within a third',
    `<main><main></main><main>${text}</main></main>${script}`,
    true,
  ],
])('says whether a page needs a browser for %s', (_what, html, expected) => {
  expect(judgePage({ html }).need !== null).toBe(expected);
});

test('what frames show stands behind their elements, each by its number', () => {
  const place = (number: number) => `<iframe ${frameMark}="${number}"></iframe>`;
  const html = `<p>${place(1)}</p><p>${place(0)}</p>${place(2)}`;
  expect(putFrames(html, ['A', 'B', null])).toBe(
    '<p><iframe></iframe>B</p><p><iframe></iframe>A</p><iframe></iframe>',
  );
});

test('frames of objects and embeds end where these do', () => {
  const mark = (number: number) => ` ${frameMark}="${number}"`;
  const html = `<object data="/a"${mark(0)}><div>Else</div></object><p>x</p><embed src="/b"${mark(1)}><p>y</p><iframe${mark(2)}></iframe>`;
  expect(putFrames(html, ['A', 'B', 'C'])).toBe(
    '<object data="/a"><div>Else</div></object>A<p>x</p><embed src="/b">B<p>y</p><iframe></iframe>C',
  );
});
