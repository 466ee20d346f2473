import { expect, test } from 'vitest';
import { readVisibleText } from '../../src/workers/page/html/visible-text.ts';

test.each([
  ['<select><option>Slate<option>Marl</select>and stone', 'Slate\nMarl\nand stone'],
  ['of<select><optgroup label="Stone"><option>Slate</optgroup>Marl</select>', 'of\nSlate\nMarl'],
  ['of<select>Slate</select>and stone', 'of\nSlate\nand stone'],
  ['a <b>slate</b>d roof', 'a slated roof'],
])('the words of a choice are words of their own: %s', (html, text) => {
  expect(readVisibleText(html)).toBe(text);
});

test.each([
  ['/* display: none */', true],
  ['color: red; /* was ; display: none', true],
  ["--note: '; display: none'", true],
  ['background: url("a.png; display:none")', true],
  ['/* visibility: hidden; */ color: red', true],
  ['/* none */ display: none', false],
  ['display:/**/none', false],
  ["content: '/*'; display: none; --end: '*/'", false],
  ["font-family: 'Marl'; visibility: hidden", false],
])('a style hides by its properties, not by its comments and strings: %s', (style, isSeen) => {
  const html = `<p>Slate and stone, and much more</p><p style="${style.replaceAll('"', '&quot;')}">Marl</p>`;
  expect(readVisibleText(html).includes('Marl')).toBe(isSeen);
});
