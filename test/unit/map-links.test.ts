import { expect, test } from 'vitest';
import type { CrawlParts, CrawlPlan } from '../../src/workers/crawl/crawl-plan.ts';
import { mapLinks } from '../../src/workers/crawl/map-links.ts';
import type { Visit } from '../../src/workers/crawl/visit.ts';

const origin = 'http://example.com';
const plan: CrawlPlan = {
  root: `${origin}/`,
  depth: 3,
  limit: 100,
  sameDomain: true,
  wants: () => true,
  sitemap: false,
  respectRobots: false,
};

/** A site as text: each page with what it links to, redirects to (`>`) or names as its canonical (`=`). */
function crawl(
  site: Record<string, string>,
  options: Partial<CrawlPlan> = {},
  parts: Partial<CrawlParts> = {},
) {
  const asked: string[] = [];
  const visit = (url: string): Visit => {
    const words = site[url.slice(origin.length)]?.split(' ') ?? [];
    const target = (mark: string) => {
      const word = words.find((one) => one.startsWith(mark));
      return word === undefined ? null : origin + word.slice(1);
    };
    const status = site[url.slice(origin.length)] === undefined ? 404 : target('>') === null ? 200 : 301;
    return {
      at: url,
      status,
      type: 'text/html',
      title: null,
      redirect: target('>'),
      canonical: target('='),
      follows: true,
      links: words.filter((word) => word.startsWith('/')).map((word) => [origin + word, word, '']),
      digest: url,
      error: null,
    };
  };
  const map = mapLinks(
    { ...plan, ...options },
    {
      async visit({ url }) {
        asked.push(url.slice(origin.length));
        // Answers come in any order.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        return visit(url);
      },
      robots: async () => ({
        allows: () => true,
        delayMs: 0,
        sitemaps: [],
        isUnreadable: false,
        sizeBytes: 0,
      }),
      sitemaps: async () => ({ sitemaps: [], urls: [] }),
      onMissingSitemaps: () => undefined,
      isOver: () => false,
      onProgress: () => undefined,
      ...parts,
    },
  );
  return map.then((result) => ({
    ...result,
    asked,
    depths: Object.fromEntries(result.nodes.map((node) => [node.url.slice(origin.length), node.depth])),
    links: result.edges.map(({ from, to }) => `${from.slice(origin.length)} ${to.slice(origin.length)}`),
  }));
}

test('the shortest way counts, and loops end', async () => {
  const { depths, links } = await crawl({
    '/': '/a /b',
    '/a': '/c /',
    '/b': '/d',
    '/c': '/d /b',
    '/d': '/a',
  });
  expect(depths).toEqual({ '/': 0, '/a': 1, '/b': 1, '/c': 2, '/d': 2 });
  expect(links).toContain('/c /d');
  expect(links).toHaveLength(8);
});

test('a redirect is the page that it leads to, at the depth of the link', async () => {
  const { depths, asked, links } = await crawl({
    '/': '/old',
    '/old': '>/older',
    '/older': '>/new',
    '/new': '/x',
    '/x': '',
  });
  expect(depths).toEqual({ '/': 0, '/new': 1, '/x': 2 });
  expect(new Set(asked).size).toBe(asked.length);
  expect(links).toEqual(['/ /new', '/new /x']);
});

test('redirects in a circle are one page that only redirects', async () => {
  const { nodes } = await crawl({ '/': '/a', '/a': '>/b', '/b': '>/a' });
  expect(nodes.map((node) => node.status)).toEqual([200, 301]);
});

test('a canonical URL is the page, asked for or not', async () => {
  const { depths, asked } = await crawl({
    '/': '/print /page /?view=2',
    '/print': '=/page /from-print',
    '/page': '=/page',
    '/?view=2': '=/ ',
    '/from-print': '=/never-linked',
  });
  expect(depths).toEqual({ '/': 0, '/page': 1, '/never-linked': 2 });
  expect(asked).not.toContain('/never-linked');
});

test('a home page as the canonical of everything is not believed', async () => {
  const { depths } = await crawl({ '/': '/a', '/a': '=/ /b', '/b': '=/' });
  expect(depths).toEqual({ '/': 0, '/a': 1, '/b': 2 });
});

test('which pages fit the limit does not depend on the order of the answers', async () => {
  const wide = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`/${n}`, `/${n * 2} /${n * 2 + 1}`]));
  const site = { ...wide, '/': Array.from({ length: 30 }, (_, n) => `/${n}`).join(' ') };
  const one = await crawl(site, { limit: 45 });
  const other = await crawl(site, { limit: 45 });
  expect(one.nodes).toHaveLength(45);
  expect(one.truncated).toBe(true);
  const read = new Set(one.nodes.map(({ url }) => url));
  expect(one.leftOut.length).toBeGreaterThan(10);
  expect(one.leftOut.filter((url) => read.has(url))).toEqual([]);
  expect(other.nodes).toEqual(one.nodes);
  expect(other.edges).toEqual(one.edges);
});

test('at the end of the time the map is what is known', async () => {
  const site = { '/': Array.from({ length: 90 }, (_, n) => `/${n}`).join(' ') };
  let done = 0;
  const result = await crawl(
    site,
    {},
    { onProgress: (count) => void (done = count), isOver: () => done >= 40 },
  );
  expect(result.truncated).toBe(true);
  expect(result.nodes.length).toBeGreaterThanOrEqual(40);
  expect(result.nodes.length).toBeLessThan(91);
  expect(result.nodes.length + result.leftOut.length).toBe(91);
});

test('a page that a redirect leads to is visited, though the limit leaves its own link out', async () => {
  const site = { '/': '/x /old /new', '/x': '', '/old': '>/new', '/new': '' };
  const { nodes } = await crawl(site, { limit: 3 });
  expect(nodes.find(({ url }) => url === `${origin}/new`)).toMatchObject({ status: 200 });
});

test('a root is mapped without its fragment', async () => {
  const { root, nodes } = await crawl({ '/': '/a', '/a': '' }, { root: `${origin}/#top` });
  expect([root, nodes[0]?.url]).toEqual([`${origin}/`, `${origin}/`]);
});

test('pages that only a sitemap names come last, without a depth', async () => {
  const sitemaps = async () => ({
    sitemaps: [`${origin}/sitemap.xml`],
    urls: [`${origin}/a`, `${origin}/lonely`],
  });
  const { depths } = await crawl({ '/': '/a', '/a': '', '/lonely': '/a' }, { sitemap: true }, { sitemaps });
  expect(depths).toEqual({ '/': 0, '/a': 1, '/lonely': null });
});

const roots = (target: string, options: Partial<CrawlPlan> = {}) =>
  crawl({}, options, {
    async visit({ url }) {
      const redirect = url === `${origin}/` ? target : null;
      const links: Visit['links'] = redirect === null ? [[new URL('/a', url).href, 'A', '']] : [];
      const rest = {
        type: 'text/html',
        title: null,
        canonical: null,
        follows: true,
        digest: url,
        error: null,
      };
      return { at: url, status: redirect === null ? 200 : 301, redirect, links, ...rest };
    },
  });

test.each(['https://example.com/home', 'https://www.example.com/', 'http://example.com:8080/'])(
  'a root that redirects within its site, to %s, is mapped there',
  async (target) => {
    const { root, nodes, movedTo } = await roots(target);
    expect({ root, movedTo }).toEqual({ root: target, movedTo: null });
    expect(nodes.map((node) => [node.url, node.depth])).toEqual([
      [target, 0],
      [new URL('/a', target).href, 1],
    ]);
  },
);

test('another site that the root redirects to is told, and entered only where the plan crosses sites', async () => {
  const target = 'https://example.org/shop';
  const told = await roots(target);
  expect(told.movedTo).toBe(target);
  expect(told.nodes).toMatchObject([{ url: `${origin}/`, depth: 0, status: 301 }]);
  const entered = await roots(target, { sameDomain: false });
  expect(entered).toMatchObject({ movedTo: target, root: target });
  expect(entered.nodes.map((node) => node.url)).toEqual([target, 'https://example.org/a']);
});

/** A start page with links to many hosts, each of which has a robots.txt. */
async function crossSites(hosts: number, options: Partial<CrawlPlan>, parts: Partial<CrawlParts> = {}) {
  const counts = { asked: 0, now: 0, most: 0 };
  const result = await crawl(
    {},
    { respectRobots: true, sameDomain: false, depth: 1, ...options },
    {
      async visit({ url }) {
        const links: Visit['links'] =
          url === `${origin}/`
            ? Array.from({ length: hosts }, (_, n) => [`http://site-${n}.test/`, '', ''])
            : [];
        const rest = { type: null, title: null, canonical: null, follows: true, digest: url, error: null };
        return { at: url, status: 200, redirect: null, links, ...rest };
      },
      async robots() {
        counts.asked++;
        counts.most = Math.max(counts.most, ++counts.now);
        await new Promise((resolve) => setTimeout(resolve, 1));
        counts.now--;
        return { allows: () => true, delayMs: 0, sitemaps: [], isUnreadable: false, sizeBytes: 0 };
      },
      ...parts,
    },
  );
  return { ...result, ...counts };
}

test('robots.txt of many hosts are read side by side, and none for links past the limit', async () => {
  const { nodes, most, asked, truncated } = await crossSites(1_500, { limit: 20 });
  expect(nodes).toHaveLength(20);
  expect(truncated).toBe(true);
  expect(most).toBeGreaterThan(8);
  expect(most).toBeLessThanOrEqual(32);
  expect(asked).toBeLessThanOrEqual(1_020);
});

test('the end of the time while a robots.txt is read leaves the map at what is known', async () => {
  let isOver = false;
  const { nodes, truncated } = await crossSites(
    5,
    {},
    {
      isOver: () => isOver,
      async robots(of) {
        isOver = of !== origin;
        if (isOver) throw new Error('over');
        return { allows: () => true, delayMs: 0, sitemaps: [], isUnreadable: false, sizeBytes: 0 };
      },
    },
  );
  expect(nodes.map(({ url }) => url)).toEqual([`${origin}/`]);
  expect(truncated).toBe(true);
});

test('one robots.txt is read once, however many redirects lead to its host at a time', async () => {
  let read = 0;
  const site = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`/${n}`, '']));
  await crawl(
    { ...site, '/': Object.keys(site).join(' ') },
    { respectRobots: true, sameDomain: false, depth: 1 },
    {
      async visit({ url }) {
        const links: Visit['links'] =
          url === `${origin}/` ? Object.keys(site).map((path) => [origin + path, '', '']) : [];
        const redirect =
          url.startsWith(`${origin}/`) && links.length === 0
            ? `http://other.test${url.slice(origin.length)}`
            : null;
        const rest = { type: null, title: null, canonical: null, follows: true, digest: url, error: null };
        return { at: url, status: redirect === null ? 200 : 301, redirect, links, ...rest };
      },
      async robots(of) {
        if (of === 'http://other.test') read++;
        await new Promise((resolve) => setTimeout(resolve, 5));
        return { allows: () => true, delayMs: 0, sitemaps: [], isUnreadable: false, sizeBytes: 0 };
      },
    },
  );
  expect(read).toBe(1);
});

test('redirects without end are left after ten', async () => {
  const asked: string[] = [];
  await crawl(
    { '/': '/0' },
    { depth: 1 },
    {
      async visit({ url }) {
        const isRoot = url === `${origin}/`;
        const redirect = isRoot ? null : `${origin}/${Number(url.slice(origin.length + 1)) + 1}`;
        asked.push(url);
        const links: Visit['links'] = isRoot ? [[`${origin}/0`, '', '']] : [];
        const rest = { type: null, title: null, canonical: null, follows: true, digest: url, error: null };
        return { at: url, status: isRoot ? 200 : 301, redirect, links, ...rest };
      },
    },
  );
  expect(asked.length).toBe(12);
});

test('the end of the time while sitemaps are read leaves what was read, and tells which were not', async () => {
  const missing: string[][] = [];
  const { depths, truncated } = await crawl(
    { '/': '', '/a': '' },
    { sitemap: true },
    {
      sitemaps: async () => ({
        sitemaps: [`${origin}/one.xml`],
        urls: [`${origin}/a`],
        isCut: true,
        missing: [`${origin}/two.xml`],
      }),
      onMissingSitemaps: (urls) => void missing.push([...urls]),
    },
  );
  expect([depths, truncated, missing]).toEqual([{ '/': 0, '/a': null }, true, [[`${origin}/two.xml`]]]);
});

test('the end of the time while robots.txt is read blames no sitemap', async () => {
  const missing: string[][] = [];
  let isOver = false;
  const { depths, truncated } = await crawl(
    { '/': '' },
    { sitemap: true },
    {
      isOver: () => isOver,
      async robots() {
        isOver = true;
        throw new Error('over');
      },
      onMissingSitemaps: (urls) => void missing.push([...urls]),
    },
  );
  expect([depths, truncated, missing.flat()]).toEqual([{ '/': 0 }, true, []]);
});
