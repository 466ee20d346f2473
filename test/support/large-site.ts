import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** Links from each page to its children. */
const branches = 5;
const brokenEvery = 100;
const blockedEvery = 150;

export interface LargeSite extends AsyncDisposable {
  origin: string;
  pages: number;
  /** Link hops from the root to page `n`. */
  depthOf(n: number): number;
  /** Requests by path and query. */
  requests: Map<string, number>;
  /** Requests that are being answered now, at most so far. */
  busiest: number;
}

/** Page `n` links to 5n+1 … 5n+5, so that its depth is known. */
function depthOf(n: number): number {
  let depth = 0;
  for (let page = n; page > 0; page = Math.floor((page - 1) / branches)) depth++;
  return depth;
}

const words = 'slate quarry chisel frost lake village railway block grain wedge mallet tip joint rain'.split(
  ' ',
);

function paragraph(n: number): string {
  return Array.from({ length: 60 }, (_, index) => words[(n * 7 + index * (n + 3)) % words.length]).join(' ');
}

/** Children by all kinds of links that mean the same page: plain, slash, session id, redirect, tracking, print. */
function linkTo(n: number): string {
  const forms = [
    `/p/${n}`,
    `/p/${n}/`,
    `/p/${n}?sid=s${n * 31}`,
    `/r/${n}`,
    `/p/${n}?utm_source=x#top`,
    `/p/${n}?print=1`,
  ];
  return forms[n % forms.length] ?? '';
}

function pageHtml(n: number, pages: number): string {
  const children = Array.from({ length: branches }, (_, index) => branches * n + index + 1).filter(
    (child) => child < pages,
  );
  const links = [
    '<a href="/">Home</a>',
    n === 0 ? '' : `<a href="/p/${Math.floor((n - 1) / branches)}">Up</a>`,
    ...children.map((child) => `<a href="${linkTo(child)}">Page ${child}</a>`),
    n % brokenEvery === 1 ? `<a href="/broken/${n}">Broken</a>` : '',
    n % blockedEvery === 2 ? `<a href="/private/${n}">Private</a>` : '',
    n % 200 === 3 ? `<a href="https://elsewhere${n}.example.com/page" rel="nofollow">Elsewhere ${n}</a>` : '',
    n === 0
      ? '<a href="/calendar">Calendar</a> <a href="/endless/">Endless</a> <a href="/loop/a">Loop</a>'
      : '',
  ];
  return `<!doctype html><html lang="en"><head><title>Page ${n}</title><link rel="canonical" href="/p/${n}"></head>
<body><nav>${links.join(' ')}</nav><h1>Page ${n}</h1>${`<p>${paragraph(n)}</p>`.repeat(6)}</body></html>`;
}

function send(
  response: ServerResponse,
  body: string | Buffer,
  status = 200,
  type = 'text/html; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}

function calendarHtml(): string {
  const months = Array.from(
    { length: 300 },
    (_, index) => `<a href="/calendar?month=${index}&year=2024">${index}</a>`,
  );
  return `<title>Calendar</title>${months.join('')}<p>${Math.random()}`;
}

/**
 * A site of `pages` pages in a tree, five links a page, with everything that leads a crawler astray: redirects
 * and their loops, session ids, slashes, print versions, calendars, endless paths, broken links, robots rules.
 */
export async function startLargeSite(pages: number, answerMs = 0): Promise<LargeSite> {
  const requests = new Map<string, number>();
  const bodies = Array.from({ length: pages }, (_, n) => pageHtml(n, pages));
  let active = 0;

  function answer(url: URL, response: ServerResponse): void {
    const [, kind = '', name = ''] = url.pathname.split('/');
    const body = kind === '' ? bodies[0] : kind === 'p' ? bodies[Number(name)] : undefined;
    if (body !== undefined) return send(response, body);
    if (kind === 'r') return void response.writeHead(301, { location: `/p/${name}` }).end();
    if (kind === 'loop')
      return void response.writeHead(302, { location: name === 'a' ? '/loop/b' : '/loop/a' }).end();
    if (kind === 'calendar') return send(response, calendarHtml());
    if (kind === 'endless')
      return send(response, `<title>Endless</title><a href="more/">More</a><p>${url.pathname}`);
    if (kind === 'private') return send(response, '<title>Private</title>');
    if (kind === 'robots.txt') {
      return send(
        response,
        'User-agent: *\nDisallow: /private/\nSitemap: /sitemap-index.xml\n',
        200,
        'text/plain',
      );
    }
    const origin = url.origin;
    if (kind === 'sitemap-index.xml') {
      const index = `<sitemapindex><sitemap><loc>${origin}/sitemap-1.xml.gz</loc></sitemap></sitemapindex>`;
      return send(response, index, 200, 'application/xml');
    }
    if (kind === 'sitemap-1.xml.gz') {
      const map = `<urlset><url><loc>${origin}/p/1</loc></url><url><loc>${origin}/orphan?a=1&amp;b=2</loc></url></urlset>`;
      return send(response, gzipSync(map), 200, 'application/x-gzip');
    }
    if (kind === 'orphan') return send(response, '<title>Orphan</title><a href="/p/1">In</a>');
    send(response, '<title>Not found</title>', 404);
  }

  const server = createServer((request: IncomingMessage, response) => {
    const path = request.url ?? '/';
    requests.set(path, (requests.get(path) ?? 0) + 1);
    active++;
    site.busiest = Math.max(site.busiest, active);
    // Who has the answer may ask again before we hear that the connection is free.
    let counts = true;
    const end = () => {
      if (counts) active--;
      counts = false;
    };
    response.once('close', end);
    response.on('error', () => undefined);
    const respond = () => {
      end();
      answer(new URL(path, site.origin), response);
    };
    if (answerMs === 0) respond();
    else setTimeout(respond, answerMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site: LargeSite = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    depthOf,
    requests,
    busiest: 0,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return site;
}
