import { expect, test } from 'vitest';
import { leanMarkup } from '../../src/workers/extract/lean-markup.ts';

test.each([
  ['<p>a</p><script>if (a < b) "<p>"</script><SCRIPT type=x>1</SCRIPT ><p>b</p>', '<p>a</p><p>b</p>'],
  ['<p>a<!-- <p>x --><!--[if !IE]><!--></p><style>p{}</style>', '<p>a</p>'],
  ['<p><svg viewBox="0 0 1 1"><title>x</title><path d="M0"/></svg>a</p>', '<p>a</p>'],
])('what has no text is taken out of %s', (html, lean) => {
  expect(leanMarkup(html)).toBe(lean);
});

test.each([
  '<script type="application/ld+json">{"a":"<!-- b -->"}</script>',
  '<title><!-- a --></title><textarea><style></style></textarea>',
  '<p>a<!-- b<p>c',
  '<!--><p>a</p><!---><p>b</p>',
  '<p>a<svg/>b<p>c</p><svg x=1 /></p>',
  '<svg><path><p>a</p></svg>',
  '<scripts>a</scripts>',
])('%s stays as it is', (html) => {
  expect(leanMarkup(html)).toBe(html);
});
