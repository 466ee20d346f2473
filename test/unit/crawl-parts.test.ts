import { gzipSync } from 'node:zlib';
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { EgressRequest } from '../../src/shared/egress/types.ts';
import { AppError } from '../../src/shared/errors.ts';
import type { TaskPool } from '../../src/shared/tasks/task.ts';
import { createUrlFilter } from '../../src/workers/crawl/glob.ts';
import { siteOfHost, toPageAddress } from '../../src/workers/addresses/page-address.ts';
import readSitemap, { parseSitemap } from '../../src/workers/crawl/parse-sitemap.ts';
import readRobotsBody from '../../src/workers/crawl/read-robots.ts';
import { parseRobots } from '../../src/workers/crawl/robots-rules.ts';
import { readRobots, type RobotsReader } from '../../src/workers/crawl/robots.ts';
import { readSitemaps } from '../../src/workers/crawl/sitemaps.ts';
import { createTrapGuard } from '../../src/workers/crawl/traps.ts';
import {
  askPage,
  type Manners,
  type PageAnswer,
  readAnswer,
  type Visitor,
} from '../../src/workers/crawl/visit.ts';
import { robotsSay } from '../../src/workers/page/html/robots-directives.ts';
import skimPage from '../../src/workers/page/html/skim-page.ts';
import { createPageReader, smallPage } from '../../src/workers/page/page-reader.ts';

const keyOf = (url: string) => toPageAddress(url)?.key;
const pageReader = createPageReader({
  run: async (_task: unknown, page: Parameters<typeof skimPage>[0]) => skimPage(page),
} as unknown as TaskPool);

describe('the address of a page', () => {
  test.each([
    ['http://example.com', 'https://example.com/'],
    ['http://example.com/a/', 'http://example.com/a'],
    ['http://example.com/a#part', 'http://example.com/a'],
    ['http://EXAMPLE.com:80/a', 'http://example.com/a'],
    ['http://example.com/a?b=1&a=2', 'http://example.com/a?a=2&b=1'],
    ['http://example.com/a?utm_source=x&fbclid=y', 'http://example.com/a'],
    ['http://example.com/a?pk_campaign=x&li_fat_id=y&_openstat=z', 'http://example.com/a'],
    ['http://example.com/a;jsessionid=F00?PHPSESSID=1', 'http://example.com/a'],
    ['http://example.com/a;sid=0123456789abcdef?SID=0123456789abcdef', 'http://example.com/a'],
    ['http://example.com/a?session_id=1c9ab6f0-5d3e-4b7a-9f21-08c64e7d5b13', 'http://example.com/a'],
    ['http://example.com/a;sid=1c9ab6f0-5d3e-4b7a-9f21-08c64e7d5b13/', 'http://example.com/a'],
    ['http://example.com/a?sid=s4fW9qZk27uT-x1_Lr8Pz0', 'http://example.com/a'],
    ['http://example.com/a?sid=s%3Aj7Hd92kQpXv4.Lm3%2Fe8w', 'http://example.com/a'],
    ['http://example.com/a?CFID=12&CFTOKEN=34', 'http://example.com/a'],
    ['http://example.com/a?', 'http://example.com/a'],
    ['http://example.com/%7eme/%c3%bc?q=%41', 'http://example.com/~me/ü?q=A'],
  ])('%s and %s are one', (one, other) => expect(keyOf(one)).toBe(keyOf(other)));

  test.each([
    ['http://example.com/a', 'http://example.com/A'],
    ['http://example.com/?page=1', 'http://example.com/?page=2'],
    ['http://example.com/story?sid=1770438291838472193', 'http://example.com/story'],
    ['http://example.com/talk?session_id=1770438291838472193', 'http://example.com/talk'],
    ['http://example.com/story?sid=1', 'http://example.com/story?sid=2'],
    ['http://example.com/talk?session_id=an-opening-keynote', 'http://example.com/talk'],
    ['http://example.com/talk?session_id=2024-05-01-opening-keynote', 'http://example.com/talk'],
    ['http://example.com/talk?session_id=20240501T120000Z-keynote', 'http://example.com/talk'],
    ['http://example.com/talk?sid=%2Fabout2024%2Fhtml5-and-mp3-players', 'http://example.com/talk'],
    ['http://example.com/talk;sid=2024-05-01-opening-keynote', 'http://example.com/talk'],
    ['http://example.com/a;sid=1', 'http://example.com/a'],
    ['http://example.com/a?cfid=1', 'http://example.com/a'],
    ['http://example.com/a%2Fb', 'http://example.com/a/b'],
    ['http://example.com/', 'http://example.com:8080/'],
    ['http://example.com/', 'http://www.example.com/'],
  ])('%s and %s are two', (one, other) => expect(keyOf(one)).not.toBe(keyOf(other)));

  test.each(['mailto:a@example.com', 'ftp://example.com/', 'nonsense', 'http://u:p@example.com/'])(
    '%s is none',
    (url) => expect(toPageAddress(url)).toBeNull(),
  );

  test('of any URL parses to the same key again', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const address = toPageAddress(url);
        expect(keyOf(address?.url ?? '')).toBe(address?.key);
      }),
    );
  });

  test('a site is its registrable domain', () => {
    expect(siteOfHost('blog.example.co.uk')).toBe('example.co.uk');
    expect(siteOfHost('me.github.io')).toBe('me.github.io');
    expect(siteOfHost('127.0.0.1:8080')).toBe('127.0.0.1:8080');
  });
});

test('a rule may be of an empty query, and a delay is decimal', () => {
  const { allows, delaySeconds } = parseRobots('User-agent: *\nDisallow: /b?\nCrawl-delay: 0x10', 'Quarry');
  expect(delaySeconds).toBeNull();
  expect(['/b?', '/b?x#y', '/b', '/b#?'].map((to) => allows(`http://example.com${to}`))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

describe('a long robots.txt', () => {
  const body = Buffer.from('User-agent: *\nDisallow: /private\n'.padEnd(20_000, '#'));
  const read = async (...failures: Error[]) => {
    const run = async (_task: unknown, input: Parameters<typeof readRobotsBody>[0]) => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return readRobotsBody(input);
    };
    const fetch = async () => ({ status: 200, body, headers: {} });
    const reader = { lease: { fetch }, tasks: { run }, owner: 'a' } as unknown as RobotsReader;
    const options = { headers: {}, timeoutMs: 1_000, signal: new AbortController().signal };
    return await readRobots(reader, 'http://example.com', options);
  };
  test('is read only where all of it has come', async () => {
    const cut = async (size: number, headers = {}) => {
      const fetch = async () => ({
        status: 200,
        body: Buffer.alloc(size, '#'),
        headers,
        truncated: true,
      });
      const run = async (_task: unknown, input: Parameters<typeof readRobotsBody>[0]) =>
        readRobotsBody(input);
      const reader = { lease: { fetch }, tasks: { run }, owner: 'a' } as unknown as RobotsReader;
      const options = { headers: {}, timeoutMs: 1_000, signal: new AbortController().signal };
      return (await readRobots(reader, 'http://example.com', options)).isUnreadable;
    };
    // Of one that is too long the beginning counts.
    expect([await cut(0), await cut(20_000), await cut(512_000)]).toEqual([true, true, false]);
    // Bytes behind its end.
    expect(await cut(100, { 'content-length': '100' })).toBe(false);
  });

  const overloaded = new AppError('overloaded', 'Too many documents are waiting to be read.');

  test('that we are too busy to read closes no site', async () => {
    await expect(read(overloaded, overloaded, overloaded)).rejects.toBe(overloaded);
  });

  test('is read once we are less busy', async () => {
    const { allows, isUnreadable } = await read(overloaded);
    const pages = ['/', '/private'].map((path) => allows(`http://example.com${path}`));
    expect([...pages, isUnreadable]).toEqual([true, false, false]);
  });

  test('that takes too long to read closes its site', async () => {
    const { allows, isUnreadable } = await read(new AppError('target_too_large', 'It took too long.'));
    expect([allows('http://example.com/'), isUnreadable]).toEqual([false, true]);
  });
});

describe('globs', () => {
  const globOf = (pattern: string) => createUrlFilter([pattern], []);
  test.each([
    ['/blog/*', '/blog/one', true],
    ['/blog/*', '/blog/one/two', false],
    ['/blog/**', '/blog/one/two?x=1', true],
    ['/**/two', '/blog/one/two', true],
    ['/p?', '/p1', true],
    ['/p?', '/p/', false],
    ['/a', '/ab', false],
    ['*', '/', false],
    ['**', '/anything', true],
    ['http://example.com/a*', '/ab', true],
    ['https://**', '/ab', false],
    ['/café/*', '/café/crème', true],
    ['/a b', '/a b', true],
    ['/a***b', '/a/x/b', true],
    ['http://EXAMPLE.com:80/a', '/a', true],
    ['HTTP://Exa*.com/A', '/A', true],
    ['http://example.com', '/', true],
    ['http://**/Path', '/Path', true],
    ['http://**Path', '/Path', true],
    ['/%7eme/%c3%a9', '/~me/é', true],
    ['/~me/{a}', '/%7Eme/%7Ba%7D', true],
    ['/a?q={b}', '/a?q={b}', true],
    ['/a%2Ab', '/axb', false],
    ['/a%2fb', '/a/b', false],
    [`/${'a'.repeat(62)}*${'?b'.repeat(40)}`, `/${'a'.repeat(62)}${'xb'.repeat(41)}`, true],
    [`/${'a'.repeat(62)}*${'?b'.repeat(40)}`, `/${'a'.repeat(62)}${'xb'.repeat(39)}`, false],
  ])('%s on %s: %s', (pattern, path, expected) => {
    expect(globOf(pattern)(`http://example.com${path}`)).toBe(expected);
  });

  test('know a host however it is spelled', () => {
    const matches = globOf('https://Bücher.example/**');
    expect(matches(new URL('https://bücher.example/é').href)).toBe(true);
    expect(matches('https://example.com/')).toBe(false);
  });

  test.each([
    ['https://*.bücher.example/**', 'https://www.xn--bcher-kva.example/a', true],
    ['https://*.Bücher.example/**', 'https://xn--bcher-kva.example/a', false],
    ['https://*.example.com:443/**', 'https://www.example.com/a', true],
    ['http://*.example.com:443/**', 'http://www.example.com:443/a', true],
    ['*://*.example.com:8080/**', 'http://www.example.com:8080/a', true],
    ['https://*.example.com', 'https://www.example.com/', true],
    ['https://*.१.example/', 'https://a.xn--e4b.example/', true],
  ])('of a host with wildcards, %s on %s: %s', (pattern, url, expected) => {
    expect(globOf(pattern)(url)).toBe(expected);
  });

  test('write a URL once for all of them', () => {
    const globs = Array.from({ length: 50 }, (_, n) => `/${n}/*`);
    const wants = createUrlFilter(globs, globs);
    const parse = vi.spyOn(globalThis, 'URL');
    expect(wants('http://example.com/none')).toBe(false);
    expect(parse).toHaveBeenCalledTimes(1);
    parse.mockRestore();
  });

  test('cannot be made slow', () => {
    const globs = Array.from({ length: 50 }, (_, n) => globOf(`**a${'?'.repeat(446 + n)}/`));
    const path = Array.from({ length: 1_980 }, (_, n) => 'ab'[(Math.imul(n, 2_654_435_761) >>> 15) & 1]).join(
      '',
    );
    const start = performance.now();
    for (const matches of globs) matches(`http://example.com/${path}`);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe('traps', () => {
  const admitted = (urls: string[]) => {
    const guard = createTrapGuard();
    return urls.filter((url) => guard.admits(toPageAddress(url)!)).length;
  };
  const many = (url: (n: number) => string) =>
    Array.from({ length: 1_000 }, (_, n) => `http://example.com${url(n)}`);

  test.each([
    ['numbered pages', (n: number) => `/p/${n + 1_900}`, 1_000],
    ['items by a parameter', (n: number) => `/item?id=${n}`, 1_000],
    ['posts by date', (n: number) => `/2024/05/post-${n}`, 1_000],
    ['a calendar by path', (n: number) => `/events/${2_000 + Math.floor(n / 12)}/${(n % 12) + 1}`, 100],
    ['a calendar by parameters', (n: number) => `/events?month=${n}`, 100],
    ['all combinations of parameters', (n: number) => `/list?f${n}=1`, 40],
    ['an endless path', (n: number) => `/${'a/b/'.repeat(n)}`, 4],
    ['endless length', (n: number) => `/${'x'.repeat(n * 10)}`, 198],
  ])('%s', (_what, url, expected) => {
    const count = admitted(many(url));
    expect(Math.abs(count - expected)).toBeLessThan(3);
  });
});

describe('a visit', () => {
  const answer = (status: number, headers: Record<string, string>) => {
    const asked: EgressRequest[] = [];
    const fetch = async (request: EgressRequest) => {
      asked.push(request);
      return { url: request.url, status, headers, body: Buffer.alloc(0) };
    };
    const visitor = { lease: { fetch }, headers: {}, origin: '', originHeaders: {}, timeoutMs: 20_000 };
    const url = 'http://example.com/a';
    const manners: Manners = { take: async (request) => await request(), mayAsk: () => true };
    const visit = askPage(visitor as unknown as Visitor, toPageAddress(url)!, manners);
    return visit.then((told) => ({ ...told, asked }));
  };

  test('waits for the first byte as long as for the page', async () => {
    const { asked } = await answer(200, {});
    expect(asked).toMatchObject([{ timeoutMs: 20_000, firstByteTimeoutMs: 20_000 }]);
  });

  test('follows no empty Location', async () => {
    const { visit, asked } = await answer(302, { location: '' });
    expect([visit.redirect, asked.length]).toEqual([null, 1]);
  });

  test('asks once more where a redirect to itself sets a cookie, and then no more', async () => {
    const location = 'http://example.com/a';
    const { visit, asked } = await answer(302, { location, 'set-cookie': 'seen=1' });
    expect([visit.redirect, asked.length]).toEqual([location, 2]);
    expect(asked[0]?.cookieJar).toBe(asked[1]?.cookieJar);
    expect((await answer(302, { location })).asked.length).toBe(1);
  });

  test('keeps to a nofollow in its headers', async () => {
    const headers = { 'content-type': 'text/html', refresh: '0; url=/home' };
    const followsOf = async (robots: Record<string, string>) => {
      const { visit, page } = await answer(200, { ...headers, ...robots });
      return (await readAnswer({ pageReader } as Visitor, { visit, page })).follows;
    };
    expect(await followsOf({})).toBe(true);
    expect(await followsOf({ 'x-robots-tag': 'nofollow' })).toBe(false);
  });

  test('reads a page later where we are too busy to read it', async () => {
    const overloaded = new AppError('overloaded', 'Too many documents are waiting to be read.');
    const failures = [overloaded];
    const run = async (_task: unknown, page: Parameters<typeof skimPage>[0]) => {
      const failure = failures.pop();
      if (failure !== undefined) throw failure;
      return skimPage(page);
    };
    const busy = createPageReader({ run } as unknown as TaskPool);
    const visitor = { pageReader: busy, signal: new AbortController().signal } as Visitor;
    const { visit, page } = await answer(200, { 'content-type': 'text/html; charset=utf-8', refresh: '0' });
    const body = Buffer.from(`<title>Slate</title>${' '.repeat(smallPage)}`);
    const read = await readAnswer(visitor, { visit, page: { ...page!, body } });
    expect([read.title, read.error]).toEqual(['Slate', null]);
  });

  test('takes no canonical of an error page', async () => {
    const canonicalOf = async (status: number) => {
      const link = '</other>; rel=canonical';
      const { visit, page } = await answer(status, {
        'content-type': 'text/html',
        refresh: '0; url=/',
        link,
      });
      return (await readAnswer({ pageReader } as Visitor, { visit, page })).canonical;
    };
    expect([await canonicalOf(200), await canonicalOf(404)]).toEqual(['http://example.com/other', null]);
  });

  test('follows the refresh of an empty page, which is the same as no other', async () => {
    const { visit, page } = await answer(200, { 'content-type': 'text/html', refresh: '0; url=/home' });
    const read = await readAnswer({ pageReader } as Visitor, { visit, page });
    expect([read.redirect, read.digest]).toEqual(['http://example.com/home', null]);
    expect((await answer(200, { 'content-type': 'image/png', refresh: '0; url=/home' })).page).toBeNull();
  });
});

describe('sitemaps', () => {
  const base = 'http://example.com/sitemap.xml';

  test('pages, indexes, CDATA, references and prefixes', () => {
    expect(
      parseSitemap('<urlset><url><loc> /a?x=1&amp;y=2 </loc></url><url><loc><![CDATA[/b]]></loc></url>', base)
        ?.pages,
    ).toEqual(['http://example.com/a?x=1&y=2', 'http://example.com/b']);
    expect(parseSitemap('<s:sitemapindex><s:loc>/more.xml</s:loc></s:sitemapindex>', base)).toEqual({
      indexed: ['http://example.com/more.xml'],
      pages: [],
      isCut: false,
    });
    expect(parseSitemap('http://example.com/a\nhttp://example.com/b\n', base)?.pages).toHaveLength(2);
  });

  test('what belongs to a page is no page', () => {
    const xml =
      '<urlset><!-- <url><loc>/comment</loc></url> --><url><LOC xml:lang="en" xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">/a</LOC><image:image><image:loc>/a.png</image:loc></image:image><video:video><video:content_loc>/v</video:content_loc></video:video></url><url><loc>/b</loc></url></urlset>';
    expect(parseSitemap(xml, base)?.pages).toEqual(['http://example.com/a', 'http://example.com/b']);
  });

  test.each([
    '<i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><i:loc>/no</i:loc></i:image>',
    '<image xmlns="http://www.google.com/schemas/sitemap-image/1.1"><loc>/no</loc><caption>A</caption></image>',
    '<IMAGE><LOC>/no</LOC></IMAGE>',
    '<v:video><v:thumbnail_loc>/no</v:thumbnail_loc><loc>/no</loc></v:video>',
    '<n:news><loc>/no</loc></n:news>',
    '<image/>',
    '<x:loc>/no</x:loc>',
    '<thing xmlns="urn:x"><loc>/no</loc></thing>',
    '<thing xmlns="urn:x"/>',
    '<xhtml:link rel="alternate" hreflang="de" href="/no">',
  ])('an extension is known by its element, whatever its prefix: %s', (extension) => {
    const xml = `<urlset><url>${extension}<loc>/a</loc></url><url><loc>/b</loc>${extension}</url></urlset>`;
    expect(parseSitemap(xml, base)?.pages).toEqual(['http://example.com/a', 'http://example.com/b']);
  });

  test('a text names pages at the beginning of its lines', () => {
    const text =
      '\ufeffhttp://example.com/a \r\n\n  HTTPS://example.com/b\rhttp://example.com/c and more\n# http://example.com/d';
    expect(parseSitemap(text, base)?.pages).toEqual([
      'http://example.com/a',
      'https://example.com/b',
      'http://example.com/c',
    ]);
    expect(parseSitemap('See https://example.com/1 for more', base)).toBeNull();
    expect(parseSitemap('loc lastmod\nhttps://example.com/1\t2024-01-01', base)?.pages).toEqual([
      'https://example.com/1',
    ]);
  });

  test('feeds name pages too', () => {
    const rss =
      '<?xml version="1.0"?><rss version="2.0"><channel><link>http://example.com/</link><atom:link href="/feed" rel="self"/><item><title>A</title><link>/a</link><media:content url="/m"/></item><item><link><![CDATA[/b?x=1&y=2]]></link></item></channel></rss>';
    expect(parseSitemap(rss, base)?.pages).toEqual(['http://example.com/a', 'http://example.com/b?x=1&y=2']);
    const atom =
      '<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><entry><link rel="edit" href="/edit"/><link rel="alternate" href="/c?x=1&amp;y=2"/></entry><entry><link href=\'/d\'/></entry></feed>';
    expect(parseSitemap(atom, base)?.pages).toEqual(['http://example.com/c?x=1&y=2', 'http://example.com/d']);
    const prefixed = atom.replace(/<(\/?)(?=\w)/g, '<$1atom:');
    expect(parseSitemap(prefixed, base)).toEqual(parseSitemap(atom, base));
  });

  test('comments and parts of CDATA in an address are read past', () => {
    const locs =
      '<loc><!-- first -->/a</loc><loc>\n<!-- > -->\n<![CDATA[/b?x=1&]]>y=2&amp;z=3<!-- last --></loc><loc><?x?>/c</loc>';
    expect(parseSitemap(`<urlset>${locs}<loc><![CDATA[/d]]`, base)?.pages).toEqual(
      ['/a', '/b?x=1&y=2&z=3', '/c'].map((path) => `http://example.com${path}`),
    );
    const long = `<urlset><loc><![CDATA[/${'a'.repeat(10_000)}]]></loc><loc>/${'b'.repeat(10_000)}</loc></urlset>`;
    expect(parseSitemap(long, base)?.pages).toEqual([]);
  });

  test('an entry of a feed without a link is named by its guid, where that is an address', () => {
    const items = [
      '<link/><guid>http://example.com/a</guid>',
      '<guid isPermaLink="true"><![CDATA[http://example.com/b]]></guid>',
      '<guid isPermaLink="false">http://example.com/no</guid>',
      '<guid>tag:example.com,2024:no</guid>',
      '<guid>17</guid>',
      '<guid>http://example.com/no</guid><link>/c</link>',
      '<link>/d</link><guid>http://example.com/no</guid>',
      '<guid>http://example.com/e</guid>',
    ];
    const feed = (all: string) => `<rss><channel><guid>http://example.com/no</guid>${all}</channel></rss>`;
    const pages = ['/a', '/b', '/c', '/d', '/e'].map((path) => `http://example.com${path}`);
    expect(parseSitemap(feed(items.map((item) => `<item>${item}</item>`).join('')), base)?.pages).toEqual(
      pages,
    );
    expect(parseSitemap(`<rss><item>${items.join('<item>')}`, base)?.pages).toEqual(pages);
  });

  test('an entry of an Atom feed is named by its alternate link only', () => {
    const links = (...rels: string[]) =>
      `<entry>${rels.map((rel, n) => `<link ${rel} href="/${n}"/>`).join('')}</entry>`;
    const pagesOf = (entry: string) =>
      parseSitemap(`<feed>${entry}</feed>`, base)?.pages.map((page) => URL.parse(page)?.pathname);
    const others = ['rel="self"', 'rel="enclosure"', 'rel="related"', "rel='replies'"];
    expect(pagesOf(links(...others, "rel='alternate'"))).toEqual(['/4']);
    expect(pagesOf(links(...others))).toEqual([]);
    expect(pagesOf(links('rel="http://www.iana.org/assignments/relation/alternate"'))).toEqual(['/0']);
    expect(pagesOf(links('type="text/html"', 'rel=" Alternate "'))).toEqual(['/0', '/1']);
  });

  test('addresses of a feed are relative to the base around them', () => {
    const xml = `<feed xml:base="/blog/"><link href="/"/>
      <entry><link href="a"/></entry>
      <entry xml:base='2024/'><link href="b"/><link rel="alternate" xml:base="c/" href="d"/></entry>
      <entry><link href="/e"/></entry><entry xml:base="http://other.test/x"><link href="f"/></entry></feed>`;
    expect(parseSitemap(xml, base)?.pages).toEqual([
      'http://example.com/blog/a',
      'http://example.com/blog/2024/b',
      'http://example.com/blog/2024/c/d',
      'http://example.com/e',
      'http://other.test/f',
    ]);
    const noBase = '<feed xml:base="javascript:0"><entry xml:base="data:,"><link href="/a"/></entry></feed>';
    expect(parseSitemap(noBase, base)?.pages).toEqual(['http://example.com/a']);
    const rss =
      '<rss xml:base="http://editors.test/"><channel xml:base="x/"><item><link>/a</link></item></channel></rss>';
    expect(parseSitemap(rss, base)?.pages).toEqual(['http://example.com/a']);
  });

  test('the feed that an entry was taken from is no page', () => {
    const source = '<source><id>x</id><link href="/no"/><atom:link href="/no" rel="alternate"/></source>';
    const xml = `<feed><entry>${source}<link href="/a"/></entry><entry><link href="/b"/>${source}</entry>
      <entry><source/><link href="/c"/></entry></feed>`;
    expect(parseSitemap(xml, base)?.pages).toEqual(
      ['/a', '/b', '/c'].map((path) => `http://example.com${path}`),
    );
    const rss = '<rss><item><source url="/no">Other</source><link>/a</link></item></rss>';
    expect(parseSitemap(rss, base)?.pages).toEqual(['http://example.com/a']);
    const quoting =
      '<rss><item><description><video><source src="a.mp4"></video></description><link>/a</link>';
    expect(parseSitemap(`${quoting}</item></rss>`, base)?.pages).toEqual(['http://example.com/a']);
  });

  test.each([
    `<link title=" href='/no'" href="/a"/>`,
    `<link title=" rel='self'" href="/a"/>`,
    `<link rel="self" title=" rel='alternate'" href="/no"/><link href="/a"/>`,
    `<link title=" xml:base='http://other.test/'" href="/a"/>`,
    `<link rel="alternate"href="/a"/>`,
    '<content type="xhtml"><link itemprop="x" href="/no"/><source src="x"><entry><link href="/no"/></entry></content><link href="/a"/>',
    '<media:link href="/no"/><x:entry><x:link href="/no"/></x:entry><link href="/a"/>',
  ])('of an Atom entry nothing but its own link is a page: %s', (links) => {
    const xml = `<feed><entry>${links}</entry><entry><link href="/b"/></entry></feed>`;
    expect(parseSitemap(xml, base)?.pages).toEqual(['http://example.com/a', 'http://example.com/b']);
  });

  test.each([
    '<title>A',
    '<summary>A',
    `<content src="${'x'.repeat(3_000)}"/>`,
    '<content type="xhtml"><entry><link href="/no"/></entry>',
  ])('an entry of Atom that is damaged takes no other along: %s', (part) => {
    const others = ['/b', '/c'].map((to) => `<entry><title>A</title><link href="${to}"/></entry>`).join('');
    const pages = parseSitemap(`<feed><entry>${part}</entry>${others}</feed>`, base)?.pages;
    expect(pages).toEqual(['http://example.com/b', 'http://example.com/c']);
  });

  test.each([
    '<feed xmlns="A" xmlns:a="A"><entry><a:link href="/a"/></entry></feed>',
    '<urlset xmlns:s="A"><s:url><s:loc>/a</s:loc></s:url></urlset>',
    '<sm:urlset><url><image:image><image:loc>/no</image:loc></image:image><loc>/a</loc></url></sm:urlset>',
    '<rdf:RDF><cc:item/><rss:item><rss:link>/a</rss:link></rss:item></rdf:RDF>',
    '<urlset><url><loc xmlns="">/a</loc></url></urlset>',
  ])('two prefixes may be of one namespace: %s', (xml) => {
    expect(parseSitemap(xml, base)?.pages).toEqual(['http://example.com/a']);
  });

  test.each([
    `<rss><channel><item><x:item/><link title=" href='/no'">/a</link></item></channel></rss>`,
    '<rss><channel><item><x:item>x</x:item><link>/a</link></item></channel></rss>',
    '<rdf:RDF><rss:channel><rss:link>/</rss:link></rss:channel><rss:item><rss:link>/a</rss:link></rss:item></rdf:RDF>',
    '<rdf:RDF><channel><link>/</link></channel><item><x:link>/no</x:link><link>/a</link></item></rdf:RDF>',
    '<RDF xmlns:r="x"><r:item><r:link>/a</r:link></r:item></RDF>',
  ])('of an RSS item nothing but its own link is a page: %s', (xml) => {
    expect(parseSitemap(xml, base)?.pages).toEqual(['http://example.com/a']);
  });

  test('entities of its own are what they stand for, and name no pages by themselves', () => {
    const subset = '<!ENTITY base "http://other.test/x?y=1&amp;z="><!ENTITY no "<url><loc>/no</loc></url>">';
    const locs = '<url><loc>&base;2</loc></url><url><loc>/&amp;base;</loc></url><url><loc>/a</loc></url>';
    const xml = `<?xml version="1.0"?>\n<!DOCTYPE urlset [\n${subset}\n]>\n<urlset>${locs}</urlset>`;
    const pages = ['http://other.test/x?y=1&z=2', 'http://example.com/&base;', 'http://example.com/a'];
    expect(parseSitemap(xml, base)?.pages).toEqual(pages);
    const declared = (inner: string, loc = '/a?b=1&amp;c=2') =>
      parseSitemap(`<!DOCTYPE urlset [${inner}]><urlset><loc>${loc}</loc></urlset>`, base)?.pages;
    const page = ['http://example.com/a?b=1&c=2'];
    expect(declared('<!ENTITY amp "&#38;#38;">')).toEqual(page);
    expect(declared('<!-- <!ENTITY a "no"> ]> --><!ENTITY a "]]>"><!ENTITY a "no">', '/&a;')).toEqual([
      'http://example.com/]]%3E',
    ]);
    const told = '<?x <!DOCTYPE x [ ?><!-- <!DOCTYPE urlset [ -->';
    expect(parseSitemap(`${told}<urlset><loc><![CDATA[/a]]></loc></urlset>`, base)?.pages).toEqual([
      'http://example.com/a',
    ]);
    const bomb = `<!DOCTYPE urlset [<!ENTITY a "${'a'.repeat(2_000)}">]><urlset><loc>${'&a;'.repeat(2_000)}</loc><loc>/a</loc>`;
    expect(parseSitemap(bomb, base)?.pages).toEqual(['http://example.com/a']);
  });

  test('a page with the name of a root in its script is no sitemap', () => {
    const script = '<script>const xml = "<urlset><url><loc>/no</loc></url></urlset>"</script>';
    expect(parseSitemap(`<!doctype html><html>${script}</html>`, base)).toBeNull();
    expect(parseSitemap(`<!doctype html><title>Shop</title>${script}`, base)).toBeNull();
  });

  test('> in an attribute ends no tag', () => {
    const xml =
      '<urlset><url><loc attr="a>b">/a</loc></url><url><loc title=\'>">\'>/b</loc></url>' +
      '<url><loc odd="1>/c</loc></url><url><loc>/d</loc></url></urlset>';
    const paths = parseSitemap(xml, base)?.pages.map((page) => URL.parse(page)?.pathname);
    expect(paths).toEqual(['/a', '/b', '/c', '/d']);
  });

  test('a comment before the index is no root', () => {
    const xml = '<!-- <urlset> --><sitemapindex><sitemap><loc>/more.xml</loc></sitemap></sitemapindex>';
    expect(parseSitemap(xml, base)?.indexed).toEqual(['http://example.com/more.xml']);
  });

  test('damage costs the damaged entries only', () => {
    const xml = '<urlset><url><loc>/a<url><loc>/b</loc></url><url><loc></loc></url><url><loc>/c</url>';
    expect(parseSitemap(xml, base)?.pages).toEqual(
      ['/a', '/b', '/c'].map((path) => `http://example.com${path}`),
    );
  });

  test('anything else is nothing', () => {
    expect(parseSitemap('<html><a href="/x">x</a></html>', base)).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => void parseSitemap(text, base)));
  });
});

describe('what a page says to robots', () => {
  test.each([
    ['noindex', true, false],
    ['index, NoFollow', false, true],
    ['none', true, true],
    ['max-image-preview:none', false, false],
    ['max-snippet:-1, max-image-preview: none, nofollow', false, true],
    ['googlebot: noindex, nofollow', true, true],
    ['googlebot: max-image-preview:none, otherbot: none', true, true],
    ['noindex nofollow', true, true],
    ['unavailable_after: 25 Jun 2010 15:00:00 PST', false, false],
    ['noindexed, follow-none', false, false],
    [null, false, false],
  ])('%s', (text, noindex, nofollow) => {
    expect([robotsSay(text, 'noindex'), robotsSay(text, 'nofollow')]).toEqual([noindex, nofollow]);
  });

  const visitOf = async (html: string) => {
    const page = {
      url: 'http://example.com/',
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: Buffer.from(html),
    };
    const asked = { at: page.url, status: 200, type: null, title: null, redirect: null, canonical: null };
    const visit = { ...asked, follows: true, links: [], digest: null, error: null };
    return await readAnswer({ pageReader } as Visitor, { visit, page } as unknown as PageAnswer);
  };

  test.each([
    ['robots" content="noindex', 0, true, true],
    ['robots" content="noindex', smallPage, true, true],
    ['quarry" content="none', smallPage, true, false],
    ['robots" content="max-image-preview:none', 0, undefined, true],
    ['robots" content="nofollow', smallPage, undefined, false],
  ])('<meta name="%s"> and %i characters', async (meta, length, isPrivate, follows) => {
    const read = await visitOf(`<meta name="${meta}"><p>${'a'.repeat(length)}`);
    expect([read.isPrivate, read.follows]).toEqual([isPrivate, follows]);
  });

  test('a page says the same however long it is, and wherever it says it', async () => {
    const said =
      '<title>Slate</title><meta name=quarry content=nofollow><meta http-equiv=refresh content="0; url=/end#a">';
    const noscript = `<noscript><p>${'Stone is split by hand. '.repeat(20)}<a href=/split>S</a></noscript>`;
    const short = await visitOf(said + noscript);
    const long = await visitOf(`<!-- ${' '.repeat(smallPage)} -->${said}${noscript}`);
    expect(long).toEqual({ ...short, digest: long.digest });
    expect(short).toMatchObject({ title: 'Slate', follows: false, redirect: null });
    expect(short.links.map(([url]) => url)).toEqual(['http://example.com/split', 'http://example.com/end']);
  });
});

describe('the sitemaps of a site', () => {
  const at = (path: string) => `http://example.com${path}`;
  const pagesOf = (paths: string[]) =>
    `<urlset>${paths.map((path) => `<loc>${path}</loc>`).join('')}</urlset>`;
  const numbered = (count: number, path: string) => Array.from({ length: count }, (_, n) => `${path}${n}`);
  const read = (
    files: Record<string, string>,
    named: string[],
    wants: (url: string) => boolean,
    refusals = 0,
    over = new AbortController(),
  ) => {
    let left = refusals;
    const fetch = async ({ url, signal: ends }: { url: string; signal: AbortSignal }) => {
      if (files[url.slice(at('').length)] === 'hangs') {
        // Once the answers that came with it have been read.
        setTimeout(() => over.abort(), 50);
        await new Promise((_, reject) => ends.addEventListener('abort', () => reject(new Error('over'))));
      }
      const text = files[url.slice(at('').length)];
      const status = text === undefined ? 404 : 200;
      return { url, status, body: Buffer.from(text ?? ''), headers: {}, truncated: false };
    };
    const run = async (_task: unknown, input: Parameters<typeof readSitemap>[0]) => {
      if (left-- > 0) throw new AppError('overloaded', 'Too many documents are waiting to be read.');
      return readSitemap(input);
    };
    const reader = { lease: { fetch }, tasks: { run }, owner: 'a', headers: {}, timeoutMs: 1_000 };
    const signal = new AbortController().signal;
    const parts = { ...reader, signal, over: over.signal } as unknown as Parameters<typeof readSitemaps>[0];
    const guessed = ['/sitemap.xml', '/sitemap_index.xml'].map(at);
    return readSitemaps(parts, named.map(at), guessed, { maxUrls: 10, wants });
  };

  test('bring what the map wants, however far behind it stands', async () => {
    const files = { '/sitemap.xml': pagesOf([...numbered(300, '/shop/'), ...numbered(5, '/blog/')]) };
    const found = await read(files, [], (url) => url.includes('/blog/'));
    expect(found).toMatchObject({ urls: numbered(5, '/blog/').map(at), isCut: false, missing: [] });
  });

  test('say where there was more of them', async () => {
    const many = await read({ '/sitemap.xml': pagesOf(numbered(11, '/a')) }, [], () => true);
    expect([many.urls.length, many.isCut]).toEqual([10, true]);
    const index = `<sitemapindex>${numbered(80, '/s').map((path) => `<loc>${path}</loc>`)}</sitemapindex>`;
    expect((await read({ '/sitemap.xml': index }, [], () => true)).isCut).toBe(true);
  });

  test('may be an index by its other usual name', async () => {
    const files: Record<string, string> = { '/sitemap_index.xml': pagesOf(['/a']) };
    const found = { sitemaps: [at('/sitemap_index.xml')], urls: [at('/a')], missing: [] };
    expect(await read(files, [], () => true)).toMatchObject(found);
    files['/sitemap.xml'] = pagesOf(['/b']);
    expect((await read(files, [], () => true)).urls).toEqual([at('/b')]);
    expect((await read({}, [], () => true)).missing).toEqual([]);
  });

  test('that we are too busy to read are read later, and never missing', async () => {
    const files = { '/sitemap.xml': pagesOf(['/a']) };
    expect((await read(files, [], () => true, 1)).urls).toEqual([at('/a')]);
    await expect(read(files, ['/sitemap.xml'], () => true, 10)).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('bring at the end of the time what was read by then, and name those that were not', async () => {
    const files = { '/a.xml': pagesOf(['/a']), '/b.xml': 'hangs', '/sitemap.xml': pagesOf(['/c']) };
    const named = ['/a.xml', '/b.xml', '/none.xml', ...numbered(3, '/unasked')];
    const found = await read(files, named, () => true);
    expect(found).toEqual({
      sitemaps: [at('/a.xml')],
      urls: [at('/a')],
      isCut: true,
      missing: ['/b.xml', '/none.xml', ...numbered(3, '/unasked')].map(at),
    });
    const over = new AbortController();
    over.abort();
    const none = { sitemaps: [], urls: [], isCut: true, missing: [at('/a.xml')] };
    expect(await read(files, ['/a.xml'], () => true, 0, over)).toEqual(none);
  });

  test('leave nothing behind that waits for the end of the time', async () => {
    const over = new AbortController();
    const files = { '/sitemap.xml': pagesOf(['/a']) };
    expect((await read(files, [], () => true, 0, over)).urls).toEqual([at('/a')]);
    expect(getEventListeners(over.signal, 'abort')).toEqual([]);
  });

  test('name those that were to be there, and were not', async () => {
    const files = { '/a.xml': pagesOf(['/a']) };
    expect(await read(files, ['/a.xml', '/b.xml'], () => true)).toMatchObject({
      sitemaps: [at('/a.xml')],
      urls: [at('/a')],
      missing: [at('/b.xml')],
    });
  });
});

describe('a zipped sitemap', () => {
  const pages = (count: number) =>
    Array.from({ length: count }, (_, i) => `<url><loc>https://site.example/${i}-${i * 7919}</loc></url>`);
  const zipped = gzipSync(`<urlset>${pages(2_000).join('\n')}</urlset>`);
  const read = (body: Buffer) =>
    readSitemap({
      body,
      contentType: 'application/gzip',
      url: 'https://site.example/a.gz',
      maxEntries: 10_000,
    });

  test.each([
    ['other bytes', Buffer.from('xx')],
    ['zeros', Buffer.alloc(8)],
    ['what looks like another', Buffer.from([0x1f, 0x8b, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9])],
  ])('is read with %s behind it', (_what, tail) => {
    expect(read(Buffer.concat([zipped, tail]))?.pages).toHaveLength(2_000);
  });

  test('is read with a name in its header', () => {
    const named = Buffer.concat([
      zipped.subarray(0, 10),
      Buffer.from('a.xml\0'),
      zipped.subarray(10),
      Buffer.from('xx'),
    ]);
    named[3] = 8;
    expect(read(named)?.pages).toHaveLength(2_000);
  });

  test('that is cut off gives the addresses that are whole', () => {
    const all = new Set(read(zipped)?.pages);
    const cut = read(zipped.subarray(0, zipped.length / 2))?.pages ?? [];
    expect(cut.length).toBeGreaterThan(500);
    expect(cut.filter((page) => !all.has(page))).toEqual([]);
    expect(read(zipped.subarray(0, -4))?.pages).toHaveLength(2_000);
  });

  test('of two members is read whole', () => {
    const [first, second] = [pages(2).join(''), pages(4).join('')].map((text) => gzipSync(text));
    const both = [gzipSync('<urlset>'), first ?? '', second ?? ''].map((part) => Buffer.from(part));
    expect(read(Buffer.concat(both))?.pages).toHaveLength(4);
  });

  test('that is too large is told as that', () => {
    const large = gzipSync(Buffer.alloc(60_000_000));
    expect(() => read(large)).toThrow(RangeError);
    large[10] = 7;
    expect(() => read(large)).toThrow(/invalid|incorrect/);
  });

  test('that is none is told', () => {
    expect(() => read(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7]))).toThrow();
  });
});
