import { expect, test } from 'vitest';
import { readHead } from '../../src/workers/page/html/head.ts';
import { readMetadata } from '../../src/workers/page/html/metadata.ts';
import { readVisibleText } from '../../src/workers/page/html/visible-text.ts';

const tail = '<p>All that follows</p>';

test.each([
  ['an empty SVG', `<svg/>${tail}`],
  ['an SVG that nobody closes', `<svg><path d="M0 0">${tail}`],
  ['an object that nobody closes', `<object>${tail}`],
  ['an empty title of an SVG', `<svg><title/></svg>${tail}`],
  ['an empty style of an SVG', `<svg><style/><g/></svg>${tail}`],
  ['a title of an SVG with markup', `<svg><title><b>x</b></title></svg>${tail}`],
  ['an empty script of an SVG', `<svg><script href="a.js"/></svg>${tail}`],
  ['CDATA of an SVG', `<svg><style><![CDATA[ a > b {} </svg> ]]></style></svg>${tail}`],
  ['a script that closes itself, before another', `<script src="a.js"/></script><script>1</script>${tail}`],
  ['an SVG in an SVG', `<svg><g><svg/></g></svg>${tail}`],
])('text after %s is read', (_what, html) => {
  expect(readVisibleText(html)).toBe('All that follows');
});

test.each([
  ['<p>All<svg></p> that </svg>follows</p>', 'All\nthat follows'],
  ['All<math></br> that </math>follows', 'All\nthat follows'],
  ['All<svg><font color="red"> that </font></svg>follows', 'All that follows'],
  ['All<svg><font> no </font></svg> that follows', 'All that follows'],
])('%s ends its drawing where browsers do', (html, seen) => {
  expect(readVisibleText(html)).toBe(seen);
});

test.each([
  ['<math><annotation-xml><div>Seen</div></annotation-xml></math>after', 'Seen\nafter'],
  ['<math><annotation-xml encoding="Text/HTML"><div>no</div></annotation-xml></math>after', 'after'],
  ['<math><annotation-xml encoding="x"><p>Seen</p></annotation-xml></math>after', 'Seen\nafter'],
  ['<svg><mi><p>Seen</p></mi></svg>after', 'Seen\nafter'],
  ['<svg><g><p>Seen</p></g></svg>after', 'Seen\nafter'],
])('an element of the other drawing is none whose content is HTML: %s', (html, seen) => {
  expect(readVisibleText(html)).toBe(seen);
});

test('HTML within an SVG is seen', () => {
  expect(
    readVisibleText('<svg><g>no</g><foreignObject><p>Seen</p></foreignObject><desc>no</desc></svg>x'),
  ).toBe('Seen\nx');
});

test.each([
  ['<svg/><title>Page</title>', 'Page'],
  ['<svg><title>Icon</title></svg><title>Page</title>', 'Page'],
  ['<svg><title/></svg><title>Page</title>', 'Page'],
  ['<svg><path><p><title>Page</title>', 'Page'],
  ['<p>a</p><title>Page', 'Page'],
  ['<math><title>no<p></math><title>Page</title>', 'Page'],
])('the title of %s is that of the page', (html, title) => {
  const source = { url: 'http://example.com/', headers: {}, charset: null };
  expect(readMetadata(html, source).head.title).toBe(title);
  expect(readHead(html, source).title).toBe(title);
});

test.each([
  ['<svg><text>A<tspan>B</tspan></text><text>C</text></svg>D', 'AB\nC\nD'],
  ['<svg><text><tspan x="0" y="9">one</tspan><tspan x="0" dy="1em">two</tspan></text></svg>', 'one\ntwo'],
  [
    '<svg><defs><text>no</text></defs><symbol><text>no</text></symbol><text>yes<title>no</title></text></svg>',
    'yes',
  ],
  ['<svg style="display:none"><text>no</text></svg><text>yes</text> it is', 'yes it is'],
  ['<svg><text>A<svg><g>no</g></svg>B</text></svg>', 'AB'],
])('the text of a drawing is seen as it is drawn: %s', (html, text) => {
  expect(readVisibleText(html)).toBe(text);
});
