import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { convertHtml } from '../../src/workers/markdown/make-markdown.ts';

const url = 'http://site.example/a/b';
const paragraph = (n: number): string =>
  `<p>Part ${n}: the block has to be wet when it is split, or the sheets break at the edges, as the old hands of the quarry say.</p>`;
const pageWith = (heading: string) =>
  extractPage({
    html: `<!doctype html><title>Slate</title><main><h1>Slate</h1>${paragraph(1)}${heading}${paragraph(2)}${paragraph(3)}</main>`,
    url,
  });
const link = (name: string, query = 'action=edit&amp;section=1'): string =>
  `<a href="/w/index.php?title=Slate&amp;${query}"><span>${name}</span></a>`;
const red = (name: string): string => link(name, 'action=edit&amp;redlink=1');
const mark = (links: string): string =>
  `<span class="editsection"><span>[</span>${links}<span>]</span></span>`;

test.each([
  `<h2>How it splits ${mark(link('edit'))}</h2>`,
  `<div class="heading"><h2>How it splits</h2>${mark(link('edit'))}</div>`,
  `<div class="heading"><h2>How it splits</h2>
    ${mark(`${link('bearbeiten', 'veaction=edit')}<span> | </span>${link('Quelltext bearbeiten')}`)}</div>`,
  `<h2>How it splits<a href="#split" title="Link to it">\u200b</a></h2>`,
])('of a heading its words are kept, and no link to edit or find it: %s', (heading) => {
  const { text, html } = pageWith(heading);
  expect(text).toContain('\n\nHow it splits\n\n');
  expect(html).toMatch(/<h2>How it splits\s*<\/h2>/);
});

test.each([
  ['another link', '<h2>How it splits <a href="/w/clay">in clay</a></h2>', 'How it splits in clay'],
  ['words beside the link', `<h2>Slate</h2><p>You can ${link('edit')} it.</p>`, 'You can edit it.'],
  ['a link of a paragraph', `<p>Wikis have a link to ${link('edit')}.</p>`, 'Wikis have a link to edit.'],
])('what only looks like a link to edit a heading stays: %s', (_, markup, words) => {
  expect(pageWith(markup).text).toContain(words);
});

test.each([
  ['a page that is not there', `<h3>Mayor</h3><div>${red('Joe Foo')}</div>`, 'Joe Foo'],
  ['such pages', `<h2>Missing</h2><ul><li>${red('Foo')}</li><li>${red('Bar')}</li></ul>`, 'Foo'],
  ['one right behind a heading', `<h2>Missing</h2> ${red('Foo hill')}`, 'Foo hill'],
  ['one in a heading', `<h2>Near ${red('Foo hill')}</h2>`, 'Near Foo hill'],
  ['all words of a heading', `<h2>${link('Write on slate')}</h2>`, 'Write on slate'],
  ['a paragraph of one', `<h2>Slate</h2><p>${link('Write this part')}</p>`, 'Write this part'],
  ['a link to write the page', `<h2>Slate</h2> ${link('Write it', 'action=edit')}`, 'Write it'],
])('a link to write what is not there yet stays: %s', (_, markup, words) => {
  const html = `<!doctype html><main>${markup}${paragraph(1)}</main>`;
  expect(extractPage({ html, url, selector: 'main' }).text).toContain(words);
});

test.each([
  ['<h1>Head <a class=anchor href=#head>#</a></h1>', '# Head'],
  ['<h2>Head<a href="#head">\u200b</a></h2>', '## Head'],
  ['<p>One<a href="/x">\u200b</a> two</p>', 'One two'],
  ['<h2>In <a href="/c">C#</a></h2>', '## In [C#](http://site.example/c)'],
  ['<p>Under <a href="#n">#</a></p>', 'Under [#](http://site.example/a/b#n)'],
])('a link that shows nothing, or the sign of a heading, is no link of markdown: %s', (html, markdown) => {
  expect(convertHtml(html, { base: url, links: 'inline', images: true }).trim()).toBe(markdown);
});
