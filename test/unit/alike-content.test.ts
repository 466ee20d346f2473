import { describe, expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';

const textOf = (body: string, path: string, of = ''): string =>
  extractPage({
    html: `<!doctype html><html lang=en><head><title>Slate - Valley</title></head><body class="${of}"><header class=site-header><a href=/>Valley</a><nav><ul><li><a href=/about>About</a></li><li><a href=/blog>Blog</a></li></ul></nav></header>${body}<footer><p>© 2024 Valley</p></footer></body></html>`,
    url: `https://valley.example/${path}`,
  }).text;
const numbers = [1, 2, 3, 4, 5];

describe('an archive of posts, each with a head and a foot of its own, has their titles and no links to the rest', () => {
  const post = (id: number) => (n: number) =>
    `<article class="post-${id + n} post type-post"><header class="entry-header"><h2 class="entry-title"><a href="/s${n}">Slate story number ${n}</a></h2></header>
    <div class=entry-summary><p>In part ${n} of this long account we look at how slate was split, carried and laid by hand.</p></div>
    <footer class="entry-footer"><a class="more-link" href="/s${n}">Continue reading</a></footer></article>`;
  const archive = (id: number): string =>
    `<main><header class=page-header><h1>Slate</h1></header>${numbers.map(post(id)).join('')}</main>`;

  test.each([
    ['category/slate/', 'archive', 0],
    ['category/slate/', 'archive', 40],
    ['blog/', 'blog', 0],
    ['news/', '', 40],
  ])('at /%s', (path, of, id) => {
    const text = textOf(archive(id), path, of);
    for (const n of numbers) {
      expect(text).toContain(`Slate story number ${n}`);
      expect(text).toContain(`In part ${n} of`);
    }
    expect(text).not.toContain('Continue reading');
  });
});

test('what each tab of a guide says stays, whichever is open', () => {
  const steps =
    '<ol><li>Download the archive from the release page.</li><li>Unpack the archive where you keep your programs.</li></ol>';
  const last = (system: string): string =>
    `<p>Then run the installer of ${system} and wait until it is done.</p>`;
  const pane = (system: string, state: string): string =>
    `<div class="tab-pane fade${state}" id="${system}">${steps}${last(system)}</div>`;
  const text = textOf(
    `<main><h1>Install Slate</h1><p>Slate runs on both systems, and needs no other program to be there before it is installed.</p><div class=tab-content>${pane('Linux', ' show active')}${pane('Windows', '')}</div></main>`,
    'docs/install',
  );
  expect(text.split('Unpack the archive')).toHaveLength(3);
  expect(text).toContain('the installer of Windows');
});

test('a thread keeps what is said in two posts, one odd, one even', () => {
  const rule =
    '<p>Read the rules of the quarry before you post here.</p><p>Split no slate that is not your own.</p>';
  const reply = (n: number): string =>
    `<div class="post-${n} reply type-reply ${n % 2 === 0 ? 'even' : 'odd'}"><a class=bbp-author-name href=/users/u${n}>u${n}</a><div class=bbp-reply-content><p>It has split along its layers ${n} times in my hands, and I have asked why.</p>${n < 3 ? rule : ''}</div></div>`;
  const text = textOf(
    `<main><h1>Slate</h1><div class=bbp-replies>${numbers.map(reply).join('')}</div></main>`,
    'forums/topic/slate',
    'topic bbpress single-topic',
  );
  expect(text.split('Read the rules of the quarry')).toHaveLength(3);
  for (const n of numbers) expect(text).toContain(`layers ${n} times`);
});

test.each(['col', 'card'])('cards that are numbered in their first class (%s) keep their titles', (name) => {
  const card = (n: number): string =>
    `<div class="${name}-${n}"><h3><a href=/s${n}>Slate story number ${n}</a></h3><p>In part ${n} we look at how slate was split.</p></div>`;
  const text = textOf(
    `<main><h1>Slate</h1><div class=row>${numbers.map(card).join('')}</div></main>`,
    'blog/',
  );
  for (const n of numbers) expect(text).toContain(`Slate story number ${n}`);
});
