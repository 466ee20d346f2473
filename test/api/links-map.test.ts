import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { type LargeSite, startLargeSite } from '../support/large-site.ts';

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
