import { rm, mkdtemp } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDb } from '../../src/shared/db/client.ts';
import { startAuthorityTimer } from '../../src/workers/seo/authority-timer.ts';
import { call } from '../support/client.ts';
import { type Origin, startOrigin } from '../support/egress-origin.ts';
import { keepToOneDay } from '../support/one-day.ts';
import { environmentOf } from '../support/processes.ts';
import { runSeoCommand } from '../support/seo-command.ts';
import { writeCommonCrawlGraph, writeCommonCrawlRanks, writeTranco } from '../support/seo-files.ts';
import { searxngService, suggestService, type SuggestRequest } from '../support/seo-services.ts';
import { type Service, startService } from '../support/service.ts';

/** On one service, in this order: nothing is known, a site is crawled, files are imported. */

const base = '/api/proxy/web/v1/seo-insights';
const asked = { google: [] as SuggestRequest[], wikipedia: [] as SuggestRequest[] };
let searxngAnswers: Parameters<typeof searxngService>[0] = () => ({ results: [] });
let bingStatus = 200;
/** What Google and Wikipedia answer instead of suggestions, as often as there are entries. */
const refusals: Record<string, string>[] = [];
let origins: Record<'google' | 'bing' | 'wikipedia' | 'searxng' | 'site', Origin>;
let service: Service;
let folder: string;

const refusing =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    const headers = refusals.shift();
    if (headers === undefined) answer(request, response);
    else response.writeHead(429, headers).end();
  };

/** A page whose text is worth reading, and that links to a domain named after it. */
const article = (name: string, head = '', address = `<link rel="canonical" href="/${name}">`) =>
  `<title>${name}</title>${address}${head}<main><p>${'Old boats are mended in the harbour by people who know how to. '.repeat(20)}
    <a href="https://by-${name}.example/page">by ${name}</a></p></main>`;

const crawled: Record<string, string> = {
  ...Object.fromEntries(
    ['scraped', 'extracted', 'converted', 'summarized', 'hidden', 'private', 'with-header', 'unlisted'].map(
      (name) => [`/${name}`, article(name)],
    ),
  ),
  '/secret-1f3a': article('secret-1f3a', '', ''),
  '/noindex': article('noindex', '<meta name="robots" content="noindex">'),
  '/unfollowed': article('unfollowed', '<meta name="robots" content="index, nofollow">'),
  '/': `<title>Shoes</title><a href="/two">two</a>
    <a href="https://www.acme.example.org/">Acme</a>
    <a href="https://shop.example.org/red-shoes">red shoes</a>
    <a href="https://example.org/deal" rel="nofollow">click here</a>
    <a href="https://example.org/logo"><img src="/x.png" alt="A logo"></a>`,
  '/two':
    '<title>Two</title><a href="https://example.org/">https://example.org/</a><a href="https://bücher.example/">Bücher</a>',
};

beforeAll(async () => {
  const started = await Promise.all([
    startOrigin(
      refusing(
        suggestService(
          'q',
          (query) => [`${query} online`, 'Buy  Red Shoes', 'how to clean red shoes'],
          asked.google,
        ),
      ),
    ),
    startOrigin((request, response) => {
      if (bingStatus === 200) suggestService('query', () => ['red shoes sale'])(request, response);
      else response.writeHead(bingStatus, { 'retry-after': '120' }).end();
    }),
    startOrigin(
      refusing(
        suggestService(
          'search',
          (query) => (query === 'red shoes' ? ['The Red Shoes (film)'] : []),
          asked.wikipedia,
        ),
      ),
    ),
    startOrigin((request, response) => searxngService((query) => searxngAnswers(query))(request, response)),
    startOrigin((request, response) => {
      const page = crawled[request.url?.split('?')[0] ?? ''];
      const isPrivate = request.url === '/private';
      response
        .writeHead(page === undefined ? 404 : 200, {
          'content-type': 'text/html; charset=utf-8',
          ...(isPrivate ? { 'cache-control': 'private, max-age=60' } : {}),
          ...(request.url === '/unlisted' ? { 'x-robots-tag': 'noindex' } : {}),
        })
        .end(page);
    }),
    mkdtemp(join(tmpdir(), 'quarry-seo-')),
  ]);
  const [google, bing, wikipedia, searxng, site] = started;
  folder = started[5];
  origins = { google, bing, wikipedia, searxng, site };
  service = await startService({
    env: {
      SEARXNG_URL: searxng.url,
      SUGGEST_URLS: `google=${google.url},bing=${bing.url},wikipedia=${wikipedia.url}`,
    },
  });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await Promise.all(Object.values(origins).map((origin) => origin[Symbol.asyncDispose]()));
  await rm(folder, { recursive: true });
});

const ask = (endpoint: string, body: Record<string, unknown>) =>
  call(`${base}/${endpoint}`, { body, key: service.key }, service.url);
const databaseUrl = () => environmentOf(service)['DATABASE_URL'] ?? '';
const seo = (...args: string[]) =>
  runSeoCommand({ DATABASE_URL: databaseUrl(), QUARRY_HOME: service.home }, ...args);
const missingOf = (data: any) => data.coverage.missing.map((one: { figure: string }) => one.figure);

describe('with nothing imported and nothing crawled', () => {
  test('backlinks are unknown, not zero, and the coverage says why and what to do', async () => {
    const { status, body } = await ask('backlinks', { domain: 'example.org' });
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({
      domain: 'example.org',
      authority: null,
      totals: { backlinks: null, referringDomains: null, dofollow: null, nofollow: null },
      referringDomains: [],
      links: [],
      quality: { score: null },
    });
    expect(missingOf(body['data'])).toEqual([
      'authority',
      'totals',
      'referringDomains',
      'anchors',
      'quality',
      'links',
    ]);
    expect(body['data'].coverage.missing[0].mend).toMatch(/npm run -s seo -- import/);
    expect(body['meta'].sources).toEqual([]);
  });

  test('so is traffic', async () => {
    const { body } = await ask('traffic', { domain: 'example.org' });
    expect(body['data']).toMatchObject({
      monthlyVisits: null,
      globalRank: null,
      trend: [],
      topCountries: null,
    });
    expect(missingOf(body['data'])).toEqual([
      'monthlyVisits',
      'globalRank',
      'sources',
      'trend',
      'topCountries',
    ]);
    expect(body['data'].coverage.missing[0].reason).toBe('No list of popular domains is imported.');
  });

  test('difficulty is unknown while nothing is known of who ranks', async () => {
    const mail = { url: 'mailto:ann@example.org', title: 'No page' };
    searxngAnswers = () => ({
      results: [mail, { url: 'https://www.example.org/red', title: 'Red Shoes!' }],
    });
    const { body } = await ask('keyword-difficulty', { keyword: 'red shoes', country: 'us' });
    expect(body['data']).toMatchObject({ difficulty: null, band: null, country: 'US', language: 'en' });
    expect(body['data'].serp).toEqual([
      {
        position: 1,
        url: 'https://www.example.org/red',
        domain: 'example.org',
        title: 'Red Shoes!',
        authority: null,
      },
    ]);
    expect(body['data'].factors.at(-1)).toMatchObject({ name: 'exactTitles', weight: 0.2, value: 100 });
    expect(missingOf(body['data'])).toEqual([
      'difficulty',
      'band',
      'factors.authority',
      'factors.links',
      'serp.authority',
    ]);
  });
});

describe('a domain', () => {
  test.each([
    ['https://www.example.org/page?q=1#x', 'example.org', []],
    ['www.example.org', 'example.org', []],
    ['Example.ORG.', 'example.org', []],
    ['blog.example.co.uk', 'example.co.uk', ['registrable_domain']],
    ['BÜCHER.example', 'xn--bcher-kva.example', []],
    ['someone.github.io', 'someone.github.io', []],
  ])('given as %s is %s', async (domain, expected, warnings) => {
    const { body } = await ask('traffic', { domain });
    expect(body['data'].domain).toBe(expected);
    expect(body['meta'].warnings.map((one: { code: string }) => one.code)).toEqual(warnings);
  });

  test.each([
    '',
    'not a domain',
    'localhost',
    'com',
    'co.uk',
    '192.0.2.1',
    '[::1]',
    'ftp://example.org',
    'exa mple.com',
    '🙂',
    'a'.repeat(3_000),
  ])('given as %.20s is refused', async (domain) => {
    const { status, body } = await ask('backlinks', { domain });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path: 'domain' }] });
  });
});

describe('keyword ideas', () => {
  test('come from all engines, once each, with intent and relevance and without invented volumes', async () => {
    const { status, body } = await ask('keyword-ideas', {
      keyword: ' red  shoes',
      country: 'gb',
      limit: 200,
    });
    expect(status).toBe(200);
    const ideas = body['data'].ideas as Record<string, unknown>[];
    const byKeyword = new Map(ideas.map((idea) => [idea['keyword'], idea]));
    expect(byKeyword.get('buy red shoes')).toEqual({
      keyword: 'buy red shoes',
      searchVolume: null,
      competition: null,
      competitionLevel: null,
      cpc: null,
      trend: [],
      difficulty: null,
      intent: 'transactional',
      relevance: 0.85,
      source: 'google',
    });
    expect(byKeyword.get('how to clean red shoes')?.['intent']).toBe('informational');
    expect(byKeyword.get('the red shoes (film)')?.['source']).toBe('wikipedia');
    expect(byKeyword.get('red shoes z online')).toBeDefined();
    expect(byKeyword.get('red shoes without online')).toBeDefined();
    expect(byKeyword.has('red shoes')).toBe(false);
    expect(byKeyword.size).toBe(ideas.length);
    expect(asked.google[0]).toEqual({
      path: '/complete/search',
      parameters: { client: 'firefox', q: 'red shoes', hl: 'en', gl: 'gb' },
    });
    expect(body['meta'].sources.map((one: { name: string }) => one.name).sort()).toEqual([
      'Bing suggest',
      'Google suggest',
      'Wikipedia suggest',
    ]);
  });

  test('are asked for once a day', async () => {
    const before = asked.google.length;
    const { body } = await ask('keyword-ideas', { keyword: 'red shoes', country: 'GB', limit: 200 });
    expect(body['data'].ideas.length).toBeGreaterThan(40);
    expect(asked.google.length).toBe(before);
  });

  test('of an engine that blocks are missing, and a warning names it; it is left alone as long as it asks', async () => {
    bingStatus = 429;
    const first = await ask('keyword-ideas', { keyword: 'blue shoes', country: 'GB', limit: 1 });
    const [warning] = first.body['meta'].warnings;
    expect(warning).toMatchObject({
      code: 'engine_failed',
      message: expect.stringContaining('Bing suggest answered 429'),
    });
    bingStatus = 200;
    const second = await ask('keyword-ideas', { keyword: 'green shoes', country: 'GB', limit: 1 });
    expect(second.body['meta'].warnings[0].message).toMatch(
      /Bing suggest asked not to be asked again for \d+ s/,
    );
  });
});

describe('engines that refuse', () => {
  test('are asked again when they say so soon', async () => {
    refusals.push({ 'retry-after': '0' }, { 'retry-after': '0' });
    const { status, body } = await ask('keyword-ideas', { keyword: 'old boats', country: 'GB', limit: 1 });
    expect(status).toBe(200);
    expect(body['meta'].sources.map((one: { name: string }) => one.name)).toContain('Google suggest');
  });

  test('all of them, are a failure that names each', async () => {
    refusals.push({}, {});
    const { status, body } = await ask('keyword-ideas', { keyword: 'new boats', country: 'GB', limit: 1 });
    expect(status).toBe(502);
    expect(body['code']).toBe('upstream_failed');
    for (const engine of ['Google', 'Bing', 'Wikipedia'])
      expect(body['detail']).toMatch(new RegExp(`${engine} suggest (answered 429|asked not to be asked)`));
  });
});

describe('keyword difficulty', () => {
  test('engines that do not answer SearXNG are named, and that is no empty success', async () => {
    searxngAnswers = () => ({
      results: [],
      unresponsive: [
        ['google', 'CAPTCHA'],
        ['brave', 'timeout'],
      ],
    });
    const { status, body } = await ask('keyword-difficulty', { keyword: 'blocked', country: 'US' });
    expect(status).toBe(502);
    expect(body).toMatchObject({
      code: 'upstream_failed',
      detail: expect.stringMatching(/google \(CAPTCHA\), brave \(timeout\)/),
    });
  });

  test.each([
    [{ keyword: '', country: 'US' }, 'keyword'],
    [{ keyword: 'x', country: 'XX' }, 'country'],
    [{ keyword: 'x', country: 'USA' }, 'country'],
    [{ keyword: 'x', country: 'US', language: 'english' }, 'language'],
    [{ keyword: 'x' }, 'country'],
  ])('%j is refused', async (input, path) => {
    const { status, body } = await ask('keyword-difficulty', input);
    expect(status).toBe(400);
    expect(body['errors'].map((one: { path: string }) => one.path)).toContain(path);
  });
});

describe('after a crawl', () => {
  beforeEach(keepToOneDay);
  test('the links that were seen are there, with their words, kinds and days', async () => {
    const map = await call(
      '/api/proxy/web/v1/scrape/links-map',
      { key: service.key, body: { url: origins.site.url, depth: 1 } },
      service.url,
    );
    expect(map.status).toBe(200);
    const { body } = await ask('backlinks', { domain: 'example.org' });
    const { data, meta } = body as Record<string, any>;
    expect(data.totals).toEqual({ backlinks: 5, referringDomains: 1, dofollow: 4, nofollow: 1 });
    const types = Object.fromEntries(data.anchors.map((one: any) => [one.anchor, one.type]));
    expect(types).toEqual({
      Acme: 'other',
      'red shoes': 'exact',
      'click here': 'generic',
      'A logo': 'image',
      'https://example.org/': 'url',
    });
    expect(data.referringDomains).toHaveLength(1);
    expect(data.referringDomains[0]).toMatchObject({ links: 5, authority: null });
    expect(data.links).toHaveLength(5);
    expect(data.links).toContainEqual({
      from: origins.site.url,
      to: 'https://example.org/deal',
      anchor: 'click here',
      rel: 'nofollow',
      seenAt: new Date().toISOString().slice(0, 10),
    });
    expect(data.quality).toMatchObject({ score: null, dofollowShare: 0.8, topDomainShare: 1 });
    expect(meta.sources).toEqual([{ name: 'Quarry link index', asOf: expect.any(String) }]);
    const idn = await ask('backlinks', { domain: 'bücher.example' });
    expect(idn.body['data'].totals.backlinks).toBe(1);
  });

  test('PageRank is computed by the timers of workers, once for all of them', async () => {
    await using db = createDb({ url: databaseUrl(), poolSize: 2, onError: () => undefined });
    const ranked: unknown[] = [];
    const log = pino(
      {},
      { write: (line) => void ranked.push((JSON.parse(line) as Record<string, any>)['result']) },
    );
    const options = { db, databaseUrl: databaseUrl(), log, everyMs: 86_400_000 };
    await using stack = new AsyncDisposableStack();
    for (let worker = 0; worker < 3; worker++) stack.use(startAuthorityTimer(options));
    await expect.poll(() => ranked.length, { timeout: 60_000 }).toBe(3);
    expect(ranked.filter((result) => result !== null)).toEqual([{ domains: 3, links: 2 }]);
    expect((await seo('list'))['datasets']).toHaveLength(1);
  });

  test('PageRank over what was seen gives an authority, and says of how little', async () => {
    expect(await seo('authority')).toEqual({ domains: 3, links: 2 });
    const { body } = await ask('backlinks', { domain: 'example.org' });
    const { authority, referringDomains } = body['data'];
    expect(authority).toMatchObject({ source: 'Quarry link index', confidence: 'low' });
    // The first two of three share their place.
    expect(authority.value).toBeCloseTo((100 * Math.log(4 / 1)) / Math.log(1_000_001), 0);
    expect(referringDomains[0].authority).toBeLessThan(authority.value);
    expect(await seo('authority')).toEqual({ domains: 3, links: 2 });
    const { datasets } = await seo('list');
    expect(datasets).toHaveLength(1);
  });
});

describe('after an import', () => {
  const domains = ['example.org', 'big.example', 'mid.example', 'small.example'];

  beforeAll(async () => {
    const path = (name: string) => join(folder, name);
    const release = 'cc-main-2026-jan-feb-mar';
    await Promise.all([
      writeTranco(path('tranco-2026-09-30.csv'), ['big.example', 'other.example', 'example.org']),
      writeTranco(path('tranco-2026-10-31.csv'), ['big.example', 'example.org']),
      writeCommonCrawlRanks(path(`${release}-domain-ranks.txt.gz`), domains),
      writeCommonCrawlGraph(
        {
          vertices: path(`${release}-domain-vertices.txt.gz`),
          edges: path(`${release}-domain-edges.txt.gz`),
        },
        domains,
        [
          ['big.example', 'example.org'],
          ['small.example', 'example.org'],
          ['mid.example', 'big.example'],
        ],
      ),
    ]);
    expect(await seo('import', 'tranco', path('tranco-2026-09-30.csv'))).toMatchObject({ rows: 3 });
    expect(await seo('import', 'tranco', path('tranco-2026-10-31.csv'))).toMatchObject({ rows: 2 });
    for (const kind of ['ranks', 'vertices', 'edges'])
      await seo('import', `commoncrawl-${kind}`, path(`${release}-domain-${kind}.txt.gz`));
  }, 180_000);

  test('traffic is estimated from the rank, with its method and a low confidence, and the trend from two months', async () => {
    const { body } = await ask('traffic', { domain: 'www.example.org' });
    const { data, meta } = body as Record<string, any>;
    expect(data.globalRank).toMatchObject({ value: 2, source: 'Tranco', asOf: '2026-10-31' });
    expect(data.monthlyVisits).toMatchObject({
      low: 2e9,
      mid: 3e9,
      high: 4.5e9,
      scope: 'all',
      confidence: 'low',
    });
    expect(data.monthlyVisits.method).toMatch(/two published relations/);
    expect(data.trend).toEqual([
      { month: '2026-09', index: 66.7 },
      { month: '2026-10', index: 100 },
    ]);
    expect(data.sources).toBeNull();
    expect(meta.sources).toEqual([{ name: 'Tranco', asOf: '2026-10-31' }]);
  });

  test('a domain that left the list has no rank now', async () => {
    const { body } = await ask('traffic', { domain: 'other.example' });
    expect(body['data']).toMatchObject({ globalRank: null, monthlyVisits: null });
    expect(body['data'].coverage.missing[0].reason).toMatch(
      /not among the 2 domains of the list of 2026-10-31/,
    );
  });

  test('backlinks name what the crawl and what the import knows', async () => {
    const { body } = await ask('backlinks', { domain: 'example.org' });
    const { data, meta } = body as Record<string, any>;
    expect(data.authority).toMatchObject({
      source: 'Common Crawl domain ranks cc-main-2026-jan-feb-mar',
      asOf: '2026-03-31',
    });
    expect(data.totals).toEqual({ backlinks: 5, referringDomains: 3, dofollow: 4, nofollow: 1 });
    expect(data.referringDomains.map((one: any) => [one.domain, one.links])).toEqual([
      ['big.example', null],
      ['small.example', null],
      [new URL(origins.site.url).host, 5],
    ]);
    const fewer = await ask('backlinks', { domain: 'example.org', limit: 1 });
    expect(fewer.body['data'].referringDomains).toEqual(data.referringDomains.slice(0, 1));
    expect(fewer.body['data'].quality).toEqual(data.quality);
    const shares = data.coverage.figures.filter((one: any) => one.share !== null);
    expect(shares.map((one: any) => [one.source, one.share])).toEqual([
      ['Quarry link index', 1],
      ['Common Crawl domain graph cc-main-2026-jan-feb-mar', 2],
    ]);
    expect(meta.sources).toHaveLength(3);
    expect(missingOf(data)).toEqual([
      'referringDomains.links',
      'referringDomains.firstSeen',
      'referringDomains.lastSeen',
      'referringDomains.authority',
    ]);
  });

  test('the strongest of the referring domains are listed, not those with the most hosts', async () => {
    const { body } = await ask('backlinks', { domain: 'example.org', limit: 1 });
    expect(body['data'].referringDomains).toMatchObject([{ domain: 'big.example' }]);
  });

  test('difficulty is scored, and shows its factors', async () => {
    const results = ['big.example', 'example.org'].map((domain) => ({
      url: `https://www.${domain}/`,
      title: 'Boots',
    }));
    searxngAnswers = () => ({ results });
    const { body } = await ask('keyword-difficulty', { keyword: 'boots', country: 'US' });
    const { difficulty, factors, band, coverage } = body['data'];
    const weighted = factors.reduce((sum: number, one: any) => sum + one.weight * one.value, 0);
    expect(difficulty).toBe(Math.round(weighted));
    expect(factors.map((one: any) => one.name)).toEqual(['authority', 'links', 'exactTitles']);
    expect(band).toBe('easy');
    const graph = 'Common Crawl domain graph cc-main-2026-jan-feb-mar';
    const sources = [
      graph,
      'Common Crawl domain ranks cc-main-2026-jan-feb-mar',
      'Quarry link index',
      'SearXNG',
    ];
    expect(body['meta'].sources.map((one: any) => one.name).sort()).toEqual(sources);
    const ofLinks = coverage.figures.filter((one: any) => one.figure === 'factors.links');
    expect(ofLinks).toMatchObject([
      { source: 'Quarry link index', share: 1 },
      { source: graph, asOf: '2026-03-31', share: 2 },
    ]);
    const { source, asOf } = coverage.figures.find((one: any) => one.figure === 'difficulty');
    expect(source.split(', ').toSorted()).toEqual(sources);
    expect(asOf).toBe('2026-03-31');
    expect(coverage.missing).toEqual([]);
  });
});

/** Links of pages of `from` to the domain, each with words of its own. */
async function addLinks(domain: string, from: Record<string, number>, anchor: string): Promise<void> {
  await using db = createDb({ url: databaseUrl(), poolSize: 1, onError: () => undefined });
  for (const [name, count] of Object.entries(from)) {
    await sql`
      with pages as (
        insert into link_index_pages (url_hash, url, domain, internal_links, external_links)
        select gen_random_uuid(), 'https://' || ${name}::text || '/' || n, ${name}::text, 0, 1
        from generate_series(1, ${count}::integer) n returning *
      )
      insert into link_index_links (from_hash, to_hash, to_url, from_domain, to_domain, anchor, rel)
      select url_hash, gen_random_uuid(), 'https://' || ${domain}::text || '/', domain, ${domain}::text,
        format(${anchor}::text, domain, url), '' from pages`.execute(db);
  }
}

test('shares are of all links, whatever the limit', async () => {
  await addLinks('spread.example', { 'xx.example': 300, 'yy.example': 200 }, '%2$s');
  const at = async (limit: number) =>
    (await ask('backlinks', { domain: 'spread.example', limit })).body['data'] as Record<string, any>;
  const [one, many] = [await at(1), await at(1_000)];
  expect(one['anchors']).toMatchObject([{ count: 1, share: 0.002 }]);
  expect(many['anchors']).toHaveLength(500);
  for (const { quality } of [one, many]) expect(quality).toMatchObject({ topDomainShare: 0.6 });
});

test('of a domain with very many links all are counted, and the words of the newest of each referring domain', async () => {
  await addLinks('hub.example', { 'aa.example': 3_000, 'zz.example': 3_000 }, 'from %1$s');
  const { data } = (await ask('backlinks', { domain: 'hub.example', limit: 10 })).body as Record<string, any>;
  expect(data.totals).toMatchObject({ backlinks: 6_000, referringDomains: 2, dofollow: 6_000 });
  expect(data.anchors).toMatchObject([
    { anchor: 'from aa.example', count: 2_500, share: 0.5 },
    { anchor: 'from zz.example', count: 2_500, share: 0.5 },
  ]);
  const { method } = data.coverage.figures.find((one: any) => one.figure === 'anchors');
  expect(method).toMatch(/newest links from each/);
});

describe('every page that is read', () => {
  const web = (path: string, body: Record<string, unknown>) =>
    call(`/api/proxy/web/v1/${path}`, { key: service.key, body }, service.url);
  const linksTo = async (name: string) =>
    (await ask('backlinks', { domain: `by-${name}.example` })).body['data'].links as Record<
      string,
      unknown
    >[];

  test('feeds the index of links, whatever it was read for', async () => {
    const page = (name: string) => `${origins.site.url}${name}`;
    const read = await Promise.all([
      web('scrape', { url: page('scraped?utm_source=x#y') }),
      web('extract', { url: page('extracted') }),
      web('convert/markdown', { url: page('converted') }),
      web('summarize/url', { url: page('summarized') }),
      web('scrape', { url: page('unfollowed') }),
    ]);
    expect(read.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const name of ['scraped', 'extracted', 'converted', 'summarized']) {
      await expect
        .poll(() => linksTo(name), { timeout: 30_000 })
        .toMatchObject([
          { from: page(name), to: `https://by-${name}.example/page`, anchor: `by ${name}`, rel: '' },
        ]);
    }
    expect(await linksTo('unfollowed')).toMatchObject([{ rel: 'nofollow' }]);
  });

  test('does not, where who asks or who serves it wants it kept private', async () => {
    const page = (name: string) => `${origins.site.url}${name}`;
    await web('scrape', { url: page('hidden'), store: false });
    await web('scrape', { url: page('with-header'), headers: { 'x-session': '1' } });
    await web('scrape', { url: page('private') });
    await web('scrape', { url: page('noindex') });
    await web('scrape', { url: page('secret-1f3a') });
    await web('scrape', { url: page('unlisted') });
    await web('scrape/links-map', { url: page('private'), depth: 0 });
    await web('scrape/links-map', { url: page('noindex'), depth: 0 });
    await web('scrape/links-map', { url: page('secret-1f3a'), depth: 0 });
    crawled['/last'] = article('last');
    await web('scrape', { url: page('last') });
    await expect.poll(() => linksTo('last'), { timeout: 30_000 }).toHaveLength(1);
    for (const name of ['hidden', 'with-header', 'private', 'noindex', 'unlisted', 'secret-1f3a'])
      expect(await linksTo(name)).toEqual([]);
  });

  test('in a links map is told by the address that it names, or where a front page leads to it without a query', async () => {
    const page = (name: string) => `${origins.site.url}${name}`;
    for (const name of ['found', 'by-query', 'behind-secret']) crawled[`/${name}`] = article(name, '', '');
    crawled['/named'] = article('named');
    crawled['/'] = '<a href="/found">1</a><a href="/by-query?key=1">2</a>';
    crawled['/start-77c2'] = '<a href="/behind-secret">3</a>';
    await web('scrape/links-map', { url: page(''), depth: 1 });
    await web('scrape/links-map', { url: page('start-77c2'), depth: 1 });
    await web('scrape/links-map', { url: page('named?key=1'), depth: 0 });
    expect(await linksTo('found')).toMatchObject([{ from: page('found') }]);
    expect(await linksTo('named')).toMatchObject([{ from: page('named') }]);
    expect([...(await linksTo('by-query')), ...(await linksTo('behind-secret'))]).toEqual([]);
  });
});
