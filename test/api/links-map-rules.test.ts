import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { startOrigin } from '../support/egress-origin.ts';
import { deadOrigin } from '../support/site/page.ts';

const path = '/api/proxy/web/v1/scrape/links-map';
type Page = string | ((response: ServerResponse) => void);

/** A site whose pages are HTML by their path; whatever else is asked for answers `rest`. */
function siteOf(pages: Record<string, Page>, rest = '<title>A page</title>'): RequestListener {
  return (request, response) => {
    const page = pages[request.url ?? ''] ?? rest;
    if (typeof page === 'function') page(response);
    else response.setHeader('content-type', 'text/html').end(page);
  };
}
const linksTo = (...paths: string[]) => paths.map((to) => `<a href="${to}">${to}</a>`).join('');
const text =
  (body: string): Page =>
  (response) =>
    void response.setHeader('content-type', 'text/plain').end(body);

async function map(listener: RequestListener, options: Record<string, unknown> = {}) {
  await using origin = await startOrigin(listener);
  const { body } = await call(path, { body: { url: origin.url, ...options } });
  const inside = (url: string) => url.replace(origin.url, '/');
  return {
    paths: (body['data'].nodes as { url: string }[]).map(({ url }) => inside(url)),
    blocked: (body['data'].blockedByRobots as string[]).map(inside),
    sitemaps: (body['data'].sitemaps as string[]).map(inside),
    truncated: body['data'].truncated as boolean,
    warnings: (body['meta'].warnings as { code: string }[]).map(({ code }) => code),
  };
}

describe('robots.txt', () => {
  test('the longest rule wins, Allow a draw; wildcards and escapes count; our own group only', async () => {
    const rules = `\ufeffUser-agent: *\nDisallow: /star\n\nUser-Agent: quarry\nDisallow: /a*b$\nDisallow: /dir/\nAllow: /dir/ok\nDisallow: /draw\nAllow: /draw\nDisallow: /caf%c3%a9\n`;
    const links = linksTo('/star', '/a1b', '/a1bc', '/dir/x', '/dir/ok', '/draw', '/café');
    const { paths, blocked } = await map(siteOf({ '/robots.txt': text(rules), '/': links }));
    expect(paths).toEqual(['/', '/star', '/a1bc', '/dir/ok', '/draw']);
    expect(blocked).toEqual(['/a1b', '/caf%C3%A9', '/dir/x']);
  });

  test('of one that is too long the beginning counts', async () => {
    const rules = `User-agent: *\nDisallow: /closed\n${'# nothing\n'.repeat(100_000)}`;
    const site = siteOf({ '/robots.txt': text(rules), '/': linksTo('/open', '/closed') });
    expect(await map(site)).toMatchObject({ paths: ['/', '/open'], blocked: ['/closed'] });
  });

  test.each<[string, Page]>([
    ['answers 500', (response) => void response.writeHead(500).end()],
    ['is cut off', (response) => void response.socket?.destroy()],
    [
      'says that it was asked too much',
      (response) => void response.writeHead(429, { 'retry-after': '60' }).end(),
    ],
  ])('a server that %s lets nothing be asked for, and a warning says so', async (_how, robots) => {
    const site = siteOf({ '/robots.txt': robots, '/': linksTo('/open') });
    expect(await map(site)).toMatchObject({ paths: [], blocked: ['/'], warnings: ['robots_unreadable'] });
    const regardless = await map(site, { respectRobots: false });
    expect(regardless).toMatchObject({ paths: ['/', '/open'], warnings: [] });
  });

  test.each([
    ['another server that', deadOrigin.replace('127.0.0.1', '127.0.0.2'), [], ['robots_unreadable']],
    ['its own server by a port that', deadOrigin, ['/', '/open'], []],
  ])('one that leads to %s is not there', async (_where, dead, paths, warnings) => {
    const robots: Page = (response) => void response.writeHead(302, { location: `${dead}/robots.txt` }).end();
    const site = siteOf({ '/robots.txt': robots, '/': linksTo('/open') });
    expect(await map(site)).toMatchObject({ paths, warnings });
  });

  test('a root that leads to itself with a slash, where that is closed, is closed', async () => {
    const site = siteOf({
      '/robots.txt': text('User-agent: *\nDisallow: /blog/'),
      '/blog': (response) => void response.writeHead(301, { location: '/blog/' }).end(),
    });
    await using origin = await startOrigin(site);
    const { body } = await call(path, { body: { url: `${origin.url}blog` } });
    expect(body['data']).toMatchObject({ nodes: [], blockedByRobots: [`${origin.url}blog/`] });
  });

  test('what a page leads to is asked for only where it is open, be it the same page with a slash', async () => {
    const asked: string[] = [];
    const pages = siteOf({
      '/robots.txt': text('User-agent: *\nDisallow: /blog/'),
      '/': linksTo('/blog'),
      '/blog': (response) => void response.writeHead(301, { location: '/blog/' }).end(),
    });
    const { paths, blocked } = await map((request, response) => {
      asked.push(request.url ?? '');
      pages(request, response);
    });
    expect(asked).not.toContain('/blog/');
    expect(blocked).toEqual(['/blog/']);
    expect(paths).toEqual(['/', '/blog']);
  });

  test('one that is busy for a moment is asked again', async () => {
    let asked = 0;
    const robots: Page = (response) => {
      if (asked++ === 0) response.writeHead(429, { 'retry-after': '1' }).end();
      else response.end('User-agent: *\nDisallow: /closed');
    };
    const site = siteOf({ '/robots.txt': robots, '/': linksTo('/open', '/closed') });
    expect(await map(site)).toMatchObject({ paths: ['/', '/open'], blocked: ['/closed'], warnings: [] });
  });

  test.each([404, 403])('%i opens everything', async (status) => {
    const robots: Page = (response) => void response.writeHead(status).end('User-agent: *\nDisallow: /');
    const { paths } = await map(siteOf({ '/robots.txt': robots, '/': linksTo('/open') }));
    expect(paths).toEqual(['/', '/open']);
  });

  test('its delay is kept between all requests, sitemaps among them', async () => {
    const asked: number[] = [];
    const site = siteOf({
      '/robots.txt': text('User-agent: *\nCrawl-delay: 1.5'),
      '/': linksTo('/one'),
      '/sitemap.xml': '<urlset><url><loc>/two</loc></url></urlset>',
    });
    const { paths } = await map((request, response) => {
      if (request.url !== '/robots.txt') asked.push(Date.now());
      site(request, response);
    });
    expect(paths).toEqual(['/', '/one', '/two']);
    const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    expect(gaps).toHaveLength(3);
    // Timers may fire a little early, and requests take their time.
    for (const gap of gaps) expect(gap).toBeGreaterThan(500);
  });
});

test.each<[string, Page]>([
  ['a meta refresh', '<meta http-equiv="Refresh" content="0; url=en/"><a href="en">Here</a>'],
  [
    'a Refresh header',
    (response) =>
      void response.writeHead(200, { 'content-type': 'text/html', refresh: '1;url=/en/' }).end('Wait'),
  ],
])('%s leads on as a redirect does', async (_how, root) => {
  const listener = siteOf({ '/': root, '/en/': linksTo('/a', '/b') });
  const { paths } = await map(listener, { sitemap: false });
  expect(paths).toEqual(['/en/', '/a', '/b']);
});

test('a page that reloads itself, or goes on after minutes or from a template, is mapped itself', async () => {
  const refresh = (content: string) => `<meta http-equiv="refresh" content="${content}">`;
  const listener = siteOf({
    '/': `${refresh('5; url=/')}${linksTo('/late')}<template>${refresh('0; url=/never')}</template>`,
    '/late': refresh('300; url=/later'),
  });
  expect((await map(listener, { depth: 2, sitemap: false })).paths).toEqual(['/', '/late']);
});

test('a page of its own that goes on after a while is mapped, and what it goes on to', async () => {
  const slide = '<meta http-equiv="refresh" content="8; url=/slide2">';
  const listener = siteOf({ '/': slide + linksTo('/a', '/b') });
  expect((await map(listener, { sitemap: false })).paths).toEqual(['/', '/a', '/b', '/slide2']);
});

test('frames of a frameset are linked to', async () => {
  const frames = '<frameset cols="20%,80%"><frame src="/menu"><frame src="/body"></frameset>';
  const listener = siteOf({ '/': frames, '/menu': linksTo('/a') });
  expect((await map(listener, { depth: 2, sitemap: false })).paths).toEqual(['/', '/menu', '/body', '/a']);
});

test('a page is no sitemap, whatever its URL is called', async () => {
  const { sitemaps, paths } = await map(
    siteOf({ '/robots.txt': text('Sitemap: /maps.xml'), '/': linksTo('/one') }),
  );
  expect(sitemaps).toEqual([]);
  expect(paths).toEqual(['/', '/one']);
});

test('globs are written as URLs are read', async () => {
  const links = linksTo('/café/crème', '/shop', '/blog/a b');
  const { paths } = await map(siteOf({ '/robots.txt': text(''), '/': links }), {
    include: ['/café/*', '/blog/a b'],
  });
  expect(paths).toEqual(['/', '/caf%C3%A9/cr%C3%A8me', '/blog/a%20b']);
});

test.each([
  ['every robot', 'robots', 0],
  ['us by name', 'quarry', 0],
  ['us by name, at the head of a large page', 'Quarry', 100_000],
])('a page that asks %s not to follow its links ends there', async (_who, name, fillers) => {
  const filler = '<p>text</p>'.repeat(fillers / 10);
  const closed = `<meta name="${name}" content="nofollow"><title>Closed</title>${linksTo('/beyond')}${filler}`;
  const pages = { '/robots.txt': text(''), '/': linksTo('/closed', '/open'), '/closed': closed };
  const { paths } = await map(siteOf(pages), { depth: 2 });
  expect(paths).toEqual(['/', '/closed', '/open']);
});

test('a sitemap that is led to is read where it stands; one that breaks off says so', async () => {
  const feed = '<rss><channel><item><link>post</link></item></channel></rss>';
  const pages = {
    '/sitemap.xml': (response: ServerResponse) =>
      void response.writeHead(302, { location: '/blog/feed' }).end(),
    '/blog/feed': text(feed),
    '/robots.txt': text('Sitemap: /sitemap.xml'),
  };
  expect(await map(siteOf(pages))).toMatchObject({ paths: ['/', '/blog/post'], truncated: false });
  const cut: Page = (response) => {
    response.writeHead(200, { 'content-length': 1_000 });
    response.write('<urlset><url><loc>/a</loc></url>', () => response.socket?.end());
  };
  expect(await map(siteOf({ ...pages, '/blog/feed': cut }))).toMatchObject({
    paths: ['/', '/a'],
    truncated: true,
  });
});
