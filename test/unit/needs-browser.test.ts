import { expect, test } from 'vitest';
import { judgePage } from '../../src/workers/page/engine/needs-browser.ts';

const text = '<p>' + 'A sentence of an article that says something. '.repeat(30) + '</p>';

test.each([
  ['a page without scripts', '<h1>Hello</h1>', false],
  ['an article with an analytics script', `${text}<script src="/analytics.js"></script>`, false],
  ['a page whose scripts are data only', '<h1>Hi</h1><script type="application/ld+json">{}</script>', false],
  ['an empty app root', '<div id="root"></div><script src="/app.js"></script>', true],
  [
    'an empty app root on a page with a long footer',
    `<div id="app"> </div><footer>${text}</footer><script src="a.js"></script>`,
    true,
  ],
  ['a server-rendered app root', `<div id="__next">${text}</div><script src="a.js"></script>`, false],
  [
    'a shell that asks for JavaScript',
    `${text}<noscript>You need to enable JavaScript to run this app.</noscript><script src="a.js"></script>`,
    true,
  ],
  ['little text and a script', '<h1>Loading…</h1><script src="a.js"></script>', true],
  ['a redirect by script', `<p>One moment</p><script>window.location.href = "/next"</script>`, true],
  ['a redirect by meta refresh', '<meta http-equiv="refresh" content="0; url=/next"><p>One moment</p>', true],
])('%s', (_what, html, expected) => {
  expect(judgePage({ html: `<!doctype html><title>T</title>${html}` }).need !== null).toBe(expected);
});
