import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { strangerCertificate, testKey } from '../support/egress-certificates.ts';
import { listen, startOrigin } from '../support/egress-origin.ts';
import { type LargeSite, startLargeSite } from '../support/large-site.ts';
import { deadOrigin } from '../support/site/page.ts';

const path = '/api/proxy/web/v1/scrape/links-map';
interface Node {
  url: string;
  depth: number | null;
  title: string | null;
  status: number | null;
  inbound: number;
}

let site: LargeSite;
beforeAll(async () => {
  site = await startLargeSite(2_000);
});
afterAll(() => site[Symbol.asyncDispose]());

const map = (body: Record<string, unknown>) => call(path, { body: { url: site.origin, ...body } });
const pathOf = (node: { url: string }) => node.url.slice(site.origin.length);

test('2,000 pages with traps, loops, redirects, robots rules and broken links: each once, at its depth', async () => {
  const { status, body } = await map({ depth: 5, limit: 5_000 });
  expect(status).toBe(200);
  const nodes: Node[] = body['data'].nodes;
  expect(new Set(nodes.map((node) => node.url)).size).toBe(nodes.length);

  const pages = nodes.filter((node) => pathOf(node).startsWith('/p/'));
  expect(pages).toHaveLength(2_000);
  for (const page of pages) {
    const n = Number(pathOf(page).slice(3));
    expect(page).toMatchObject({
      depth: site.depthOf(n),
      title: `Page ${n}`,
      status: 200,
      type: 'text/html',
    });
  }
  // Every form that a page is linked in is one page: it is asked for once, or once more past a redirect of it.
  const asked = [...site.requests].filter(([url]) => /^\/p\/\d+/.test(url));
  expect(asked.filter(([, count]) => count > 1)).toEqual([]);
  expect(asked.length).toBeLessThan(2_010);

  const broken = nodes.filter((node) => pathOf(node).startsWith('/broken/'));
  expect(broken.map((node) => node.status)).toEqual(broken.map(() => 404));
  expect(broken.length).toBeGreaterThan(2);
  expect(nodes.filter((node) => pathOf(node).startsWith('/loop/'))).toHaveLength(1);
  expect(nodes.filter((node) => pathOf(node).startsWith('/calendar')).length).toBeLessThan(120);
  expect(nodes.filter((node) => pathOf(node).startsWith('/endless')).length).toBeLessThan(6);
  expect(nodes.some((node) => pathOf(node).startsWith('/private/'))).toBe(false);
  expect(body['data'].blockedByRobots).toContain(`${site.origin}/private/2`);
  expect(body['data'].sitemaps).toEqual([
    `${site.origin}/sitemap-index.xml`,
    `${site.origin}/sitemap-1.xml.gz`,
  ]);
  expect(nodes.find((node) => pathOf(node) === '/orphan?a=1&b=2')).toMatchObject({ depth: null, inbound: 0 });
  expect(body['data'].truncated).toBe(false);
  expect(body['meta'].warnings).toMatchObject([{ code: 'traps_skipped' }]);
}, 120_000);

describe('a smaller site', () => {
  const nodesOf = (body: Record<string, any>) => body['data'].nodes as Node[];

  test('depth counts link hops, and limit counts pages', async () => {
    const one = nodesOf((await map({ sitemap: false })).body);
    expect(new Set(one.map((node) => node.depth))).toEqual(new Set([0, 1]));
    expect(one.filter((node) => pathOf(node).startsWith('/p/'))).toHaveLength(6);
    const none = await map({ depth: 0 });
    expect(nodesOf(none.body).map(pathOf)).toEqual(['/p/0']);
    expect(none.body['data'].sitemaps).toEqual([]);
    const few = await map({ depth: 3, limit: 20 });
    expect(nodesOf(few.body)).toHaveLength(20);
    expect(few.body['data'].truncated).toBe(true);
  });

  test('edges join the nodes, with the text and rel of the link; inbound counts them', async () => {
    const { body } = await map({ depth: 2, sitemap: false });
    const edges: { from: string; to: string; anchor: string; rel: string }[] = body['data'].edges;
    const urls = new Set(nodesOf(body).map((node) => node.url));
    for (const { from, to } of edges) expect(urls.has(from) && urls.has(to) && from !== to).toBe(true);
    expect(edges).toContainEqual({
      from: `${site.origin}/p/0`,
      to: `${site.origin}/p/3`,
      anchor: 'Page 3',
      rel: '',
    });
    const root = nodesOf(body)[0];
    expect(root?.inbound).toBe(edges.filter((edge) => edge.to === root?.url).length);
  });

  test('include and exclude', async () => {
    const { body } = await map({
      depth: 2,
      include: ['/p/**', '/r/*'],
      exclude: ['/**print=1', '**/p/7**'],
      sitemap: false,
    });
    const paths = nodesOf(body).map(pathOf);
    expect(paths.every((one) => one.startsWith('/p/'))).toBe(true);
    expect(paths).toContain('/p/1');
    expect(paths).not.toContain('/p/5');
    expect(paths).not.toContain('/p/7');
  });

  test('robots.txt may be left aside', async () => {
    const { body } = await map({ depth: 2, respectRobots: false, sitemap: false });
    expect(nodesOf(body).map(pathOf)).toContain('/private/2');
    expect(body['data'].blockedByRobots).toEqual([]);
  });

  test('few requests at a time, however many maps are made at once', async () => {
    await using own = await startLargeSite(60, 20);
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => map({ url: own.origin, depth: 3, sitemap: false })),
    );
    for (const { body } of answers) expect(nodesOf(body).length).toBeGreaterThan(60);
    // A newcomer begins with one turn, also where the first crawl still uses all of them.
    expect(own.busiest).toBeLessThanOrEqual(8 + 2);
  });

  test('a start URL that redirects from http to https is mapped there', async () => {
    const certificate = { key: testKey, cert: strangerCertificate };
    await using secure = await listen(
      createServer(certificate, (request, response) =>
        response
          .setHeader('content-type', 'text/html')
          .end(`<title>${request.url}</title><a href="/b">B</a>`),
      ),
    );
    const target = `https://127.0.0.1:${secure.port}/`;
    await using plain = await startOrigin((_request, response) =>
      response.writeHead(301, { location: target }).end(),
    );
    const { body } = await map({ url: plain.url, verifyTls: false, sitemap: false });
    expect(body['data'].root).toBe(target);
    expect(nodesOf(body).map((node) => [node.url, node.depth, node.title])).toEqual([
      [target, 0, '/'],
      [`${target}b`, 1, '/b'],
    ]);
    expect(body['meta'].warnings).toEqual([]);
  });

  test('one that redirects to another site is one node, and a warning names that site', async () => {
    const target = site.origin.replace('127.0.0.1', '127.0.0.2');
    await using moved = await startOrigin((request, response) =>
      request.url === '/robots.txt'
        ? response.writeHead(404).end()
        : response.writeHead(302, { location: `${target}/p/0` }).end(),
    );
    const { body } = await map({ url: moved.url });
    expect(nodesOf(body)).toMatchObject([{ url: moved.url, depth: 0, status: 302 }]);
    expect(body['data'].root).toBe(moved.url);
    const [warning] = body['meta'].warnings;
    expect(warning.code).toBe('redirected_elsewhere');
    expect(warning.message).toContain(`${target}/p/0`);
  });

  test.each([
    [{ url: `${deadOrigin}/` }, 502, 'target_unreachable'],
    [{ url: 'http://10.0.0.1/' }, 403, 'url_not_allowed'],
    [{ url: 'ftp://example.com/' }, 400, 'invalid_request'],
    [{ depth: 6 }, 400, 'invalid_request'],
    [{ limit: 5_001 }, 400, 'invalid_request'],
    [{ include: [] }, 400, 'invalid_request'],
  ])('%j', async (request, status, code) => {
    expect((await map(request)).body).toMatchObject({ status, code });
  });

  test('no key', async () => {
    expect((await call(path, { key: null, body: { url: site.origin } })).body).toMatchObject({
      code: 'key_missing',
    });
  });
});
