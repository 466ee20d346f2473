import { describe, expect, test } from 'vitest';
import readRobotsBody from '../../src/workers/crawl/read-robots.ts';
import { createRobotRules, parseRobots } from '../../src/workers/crawl/robots-rules.ts';

const allows = (robots: string, path: string) =>
  parseRobots(robots, 'FooBot').allows(`http://foo.bar${path}`);
const group = (rules: string) => `user-agent: FooBot\n${rules}`;

/** After the cases of Google's parser (robots_test.cc) and of RFC 9309. */
describe('lines', () => {
  test.each([
    ['of the system', 'user-agent: FooBot\ndisallow: /\n', false],
    ['without colons', 'user-agent FooBot\ndisallow /\n', false],
    ['of three words', 'user-agent FooBot\ndisallow / x\n', true],
    ['that are no fields', 'foo: FooBot\nbar: /\n', true],
    ['with carriage returns', 'user-agent: FooBot\rdisallow: /\r\n', false],
    ['with a mark before them', '\ufeffuser-agent: FooBot\ndisallow: /\n', false],
    ['with comments', 'user-agent: FooBot # us\ndisallow: / # all\n', false],
    ['with slips', 'useragent: FooBot\ndissalow: /\n', false],
    ['with other slips', 'user agent: FooBot\ndisalow: /\n', false],
    ['in capitals', 'USER-AGENT: FOOBOT\nDISALLOW: /\n', false],
    ['with spaces', ' \t user-agent : \t foobot \t \n disallow \t : / \n', false],
  ])('%s', (_what, robots, expected) => {
    expect(allows(robots, '/x/y')).toBe(expected);
  });
});

describe('groups', () => {
  const robots = [
    'allow: /foo/bar/',
    '',
    'user-agent: FooBot',
    'disallow: /',
    'allow: /x/',
    'user-agent: BarBot',
    'disallow: /',
    'allow: /y/',
    '',
    'user-agent: BazBot',
    'user-agent: FooBot',
    'allow: /z/',
    'disallow: /',
  ].join('\n');

  test.each([
    ['/x/b', true],
    ['/z/d', true],
    ['/y/c', false],
    ['/foo/bar/', false],
  ])('rules of all own groups, and of those that share one: %s', (path, expected) => {
    expect(allows(robots, path)).toBe(expected);
  });

  test.each([
    ['a version is no part of the name', 'user-agent: FooBot/1.2\ndisallow: /', false],
    ['a delay ends no group', 'user-agent: FooBot\ncrawl-delay: 1\nuser-agent: b\ndisallow: /', false],
    ['nor is what follows a space', 'user-agent: FooBot 1.2\ndisallow: /', false],
    ['a longer name is another', 'user-agent: FooBotX\ndisallow: /', true],
    ['all are meant by a star', 'user-agent: *\ndisallow: /', false],
    ['also with a word behind it', 'user-agent: * baz\ndisallow: /', false],
    ['but not in one', 'user-agent: *baz\ndisallow: /', true],
    ['the own group outranks it', 'user-agent: *\ndisallow: /\nuser-agent: FooBot\n', true],
    ['wherever it stands', 'user-agent: FooBot\nallow: /\nuser-agent: *\ndisallow: /', true],
    ['other lines end no group', 'user-agent: FooBot\nsitemap: /s\nuser-agent: BarBot\ndisallow: /', false],
    ['a rule before all groups is none', 'disallow: /\nuser-agent: FooBot\n', true],
  ])('%s', (_what, text, expected) => {
    expect(allows(text, '/x')).toBe(expected);
  });
});

describe('rules', () => {
  test.each([
    ['disallow: /x/page.html\nallow: /x/', '/x/page.html', false],
    ['allow: /x/page.html\ndisallow: /x/', '/x/page.html', true],
    ['allow: /x/page.html\ndisallow: /x/', '/x/', false],
    ['disallow: \nallow: ', '/x/page.html', true],
    ['disallow: /\nallow: /', '/x/page.html', true],
    ['disallow: /x\nallow: /x/', '/x', false],
    ['disallow: /x\nallow: /x/', '/x/', true],
    ['disallow: /x/page.html\nallow: /x/page.html', '/x/page.html', true],
    ['allow: /page\ndisallow: /*.html', '/page.html', false],
    ['allow: /x/page.\ndisallow: /*.html', '/x/page.html', true],
    ['disallow: /x/\nallow: /X/', '/x/y', false],
    [
      'disallow: /\nallow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par',
      '/foo/bar?qux=taz&baz=http://foo.bar?tar&par',
      true,
    ],
    ['disallow: /\nallow: /foo/bar/ツ', '/foo/bar/%E3%83%84', true],
    ['disallow: /\nallow: /foo/bar/%E3%83%84', '/foo/bar/ツ', true],
    ['disallow: /\nallow: /foo/bar/%62%61%7A', '/foo/bar/baz', false],
    ['disallow: /\nallow: /foo/bar/%62%61%7A', '/foo/bar/%62%61%7A', true],
    ['disallow: /foo/bar/quz\nallow: /foo/*/qux', '/foo/bar/quz', false],
    ['disallow: /foo/bar/quz\nallow: /foo/*/qux', '/foo/bar/qux', true],
    ['disallow: /foo/bar$\nallow: /foo/bar/qux', '/foo/bar', false],
    ['disallow: /foo/bar$\nallow: /foo/bar/qux', '/foo/bar/qux', true],
    ['disallow: /foo/bar$\nallow: /foo/bar/qux', '/foo/bar/baz', true],
    ['disallow: /\nallow: /*.php$', '/index.php?x', false],
    ['disallow: /\nallow: /*.php$', '/a/index.php', true],
    ['disallow: /\nallow: /a$b', '/a$b/c', true],
    ['disallow: /*a*b$', '/ab/cab', false],
    ['disallow: /*abc$', '/abcbc', true],
    ['disallow: /fish*', '/fishheads', false],
    ['allow: /allowed-slash/index.html\ndisallow: /', '/allowed-slash/', true],
    ['allow: /allowed-slash/index.htm\ndisallow: /', '/allowed-slash/', true],
    ['allow: /allowed-slash/index.html\ndisallow: /', '/allowed-slash/x', false],
    ['allow: /anyother.html\ndisallow: /', '/', false],
    ['allow: /x/index.html$\ndisallow: /', '/x/', true],
    ['allow: /x/index.html$\ndisallow: /', '/x/y', false],
    ['allow: /x/index.htmx\ndisallow: /', '/x/', true],
    ['allow: /x/index.html?a=b\ndisallow: /', '/x/', true],
    ['allow: /*/index.htm\ndisallow: /', '/x/y/', true],
    ['allow: /x/index.html/a\ndisallow: /', '/x/', false],
    ['allow: /x/Index.html\ndisallow: /', '/x/', false],
  ])('%s: %s', (rules, path, expected) => {
    expect(allows(group(rules), path)).toBe(expected);
  });
});

/** Of a file as it came, a character a byte. */
function readBytes(file: string) {
  const body = Buffer.from(file, 'latin1');
  return readRobotsBody({ body, product: 'FooBot', maxSitemaps: 9 });
}

describe('bytes', () => {
  const agent = 'user-agent: FooBot\n';
  const longLine = `allow: /${'a'.repeat(16_663 - 'allow: /'.length)}`;
  test.each([
    ['of another encoding are escaped', `${agent}disallow: /\xfcber`, '/%FCber', false],
    ['of another encoding are not those of UTF-8', `${agent}disallow: /\xfcber`, '/%C3%BCber', true],
    ['of UTF-8 are escaped', `${agent}disallow: /\xc3\xbcber`, '/%c3%bcber', false],
    ['beside escapes', `${agent}disallow: /%fc\xe9`, '/%FC%E9', false],
    ['of a whole mark are skipped', `\xef\xbb\xbf${agent}disallow: /`, '/', false],
    ['of a part of it are skipped', `\xef\xbb${agent}disallow: /`, '/', false],
    ['of a smaller part too', `\xef${agent}disallow: /`, '/', false],
    ['that only look like its end are not', `\xbb\xbf${agent}disallow: /`, '/', true],
    ['of a mark elsewhere make an unknown field', `${agent}\xef\xbb\xbfdisallow: /`, '/', true],
    ['of a hard space are no white space', `${agent}disallow:\xa0/`, '/', true],
    ['of a hard space part no words', `${agent}disallow\xa0/`, '/', true],
    ['of a hard space end no pattern', `${agent}disallow: /a\xc2\xa0`, '/a', true],
    ['of a form feed part no words', `${agent}disallow\f/`, '/', true],
    ['of a form feed are white space', `${agent}\fdisallow\v:\f/\v`, '/', false],
    ['behind a zero are no part of the line', `${agent}disallow: /a\0b`, '/ac', false],
    ['of a zero before the colon leave no line', `${agent}disallow\0: /`, '/', true],
    ['up to the longest line count', `${agent}disallow: /\n${longLine}`, `${longLine.slice(7, -1)}b`, false],
    ['beyond it do not', `${agent}disallow: /\n${longLine}b`, `${longLine.slice(7)}c`, true],
    [
      'of two make one character',
      `${agent}disallow: /\n${longLine.slice(0, -2)}\xc3\xbc`,
      `${longLine.slice(7, -2)}%C3%BC`,
      true,
    ],
    [
      'of its second half are cut off',
      `${agent}disallow: /\n${longLine.slice(0, -1)}\xc3\xbc`,
      `${longLine.slice(7, -1)}%C3%A4`,
      true,
    ],
  ])('%s', (_what, file, path, expected) => {
    expect(createRobotRules(readBytes(file)).allows(`http://foo.bar${path}`)).toBe(expected);
  });

  test('of the address of a sitemap', () => {
    const file =
      'sitemap: http://\xc3\xa4.test/\xc3\xbc\nSitemap:\nsitemap: # none\nsitemap: http://a.test/\xfc';
    expect(readBytes(file).sitemaps).toEqual(['http://ä.test/ü', 'http://a.test/%FC']);
  });
});

test('sitemaps and the delay', () => {
  const text =
    'sitemap: http://foo.bar/sitemap.xml\nuser-agent: *\ncrawl-delay: 9\nuser-agent: FooBot\ncrawl-delay: 1.5\nsite-map: /more.xml';
  const { sitemaps, delaySeconds } = parseRobots(text, 'FooBot');
  expect(sitemaps).toEqual(['http://foo.bar/sitemap.xml', '/more.xml']);
  expect(delaySeconds).toBe(1.5);
  expect(parseRobots(text, 'BazBot').delaySeconds).toBe(9);
});
