import { expect, test } from 'vitest';
import { readBlocks } from '../../src/workers/extract/blocks.ts';
import { keepLabels } from '../../src/workers/extract/keep-labels.ts';
import { parsePage } from '../../src/workers/extract/parse-page.ts';
import { parseTree } from '../../src/workers/extract/parse-tree.ts';
import extractPage from '../../src/workers/extract/extract-page.ts';

const questions = [
  ['How do I return an item?', 'Send it back within thirty days with the slip that came in the box.'],
  ['Do you ship abroad?', 'We ship to forty countries, and customs fees are paid at the checkout.'],
  ['Can I change my order?', 'Write to us within an hour and we will change it for you.'],
];
const faq = (item: (question: string, answer: string, n: number) => string): string =>
  extractPage({
    html: `<!doctype html><title>Questions - Site</title><header><nav><ul>${Array.from({ length: 60 }, (_, i) => `<li><a href=/c${i}>Category number ${i}</a>`).join('')}</ul></nav></header><main><h1>Frequently asked questions</h1>
      <p>Find answers to what our customers ask most often below.</p><div class=accordion>${questions.map(([question = '', answer = ''], n) => item(question, answer, n)).join('')}</div></main><footer><p>© 2024 Site Inc.</p></footer>`,
    url: 'http://site.example/help',
  }).text;

test.each<[string, (question: string, answer: string, n: number) => string]>([
  [
    'a bare button',
    (question, answer, n) =>
      `<div class=item><button aria-expanded=false aria-controls=c${n}>${question}</button><div id=c${n} class=collapse style=display:none><p>${answer}</div></div>`,
  ],
  [
    'a button in a line of its own',
    (question, answer, n) =>
      `<div class=item><div><button type=button data-bs-target="#c${n}"><span>${question}</span><svg></svg></button></div><div id=c${n} class=collapse><p>${answer}</div></div>`,
  ],
  [
    'an element with the role of one',
    (question, answer, n) =>
      `<div class=item><div role=button aria-controls=c${n}>${question}</div><div id=c${n} class=collapse><p>${answer}</div></div>`,
  ],
])('a question in %s stays with its answer', (_, item) => {
  expect(faq(item)).toContain(questions.map((part) => part.join('\n\n')).join('\n\n'));
});

test('a button that says the same of each panel is no label', () => {
  const text = faq(
    (_, answer, n) =>
      `<div class=item><button aria-controls=c${n}>Show more</button><div id=c${n} class=panel><p>${answer}</div></div>`,
  );
  expect(text).toContain('Send it back');
  expect(text).not.toContain('Show more');
});

test.each([
  [
    'is away from what it opens',
    '<button aria-controls=a>One</button><p>Slate</p><p id=a>Splits</p><button aria-controls=b>Two</button><p>Clay</p><p id=b>Burns</p>',
  ],
  ['stands alone', '<button aria-controls=a>Contents</button><p id=a>Splits</p>'],
  [
    'opens what is not kept',
    '<button aria-controls=a>One</button><p id=a>Menu</p><button aria-controls=b>Two</button><p id=b>Menu</p>',
  ],
])('a button that %s is no label', (_, html) => {
  const page = readBlocks(parseTree(html));
  const picked = Uint8Array.from(page.blocks, ({ text }) => (/Splits|Burns/.test(text) ? 1 : 0));
  const before = picked.slice();
  keepLabels(page, picked);
  expect(picked).toEqual(before);
});

test('labels of tabs are words apart', () => {
  const labels = (name: string) =>
    ['Linux', 'Windows', 'macOS'].map((system) => `<${name} for=a>${system}</${name}>`).join('');
  const textOf = (inside: string) =>
    readBlocks(parsePage(`<div>${inside}</div>`).tree)
      .blocks.map(({ text }) => text)
      .join('|');
  expect(textOf(labels('label'))).toBe('Linux Windows macOS');
  expect(textOf(labels('i'))).toBe('LinuxWindowsmacOS');
});
