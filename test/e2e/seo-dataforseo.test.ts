import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { type Origin, startOrigin } from '../support/egress-origin.ts';
import { keepToOneDay } from '../support/one-day.ts';
import { dataForSeoService, type VendorAnswer, type VendorCall } from '../support/seo-services.ts';
import { type Service, startService } from '../support/service.ts';

const calls: VendorCall[] = [];
const account = { login: 'ann@example.com', password: 'secret' };
let answers: Record<string, VendorAnswer> = {};
let vendor: Origin;
let service: Service;
/** Asks the vendor for traffic only, and has no source of search results or suggestions. */
let mixed: Service;

beforeAll(async () => {
  const listener = dataForSeoService(
    account,
    ({ path }) => answers[path] ?? { code: 40_400, message: 'Not Found.' },
    calls,
  );
  vendor = await startOrigin(listener);
  const env = {
    DATAFORSEO_LOGIN: account.login,
    DATAFORSEO_PASSWORD: account.password,
    DATAFORSEO_URL: vendor.url,
  };
  [service, mixed] = await Promise.all([
    startService({ env: { ...env, SEO_PROVIDERS: 'dataforseo' } }),
    startService({
      env: { ...env, SEO_PROVIDERS: 'traffic=dataforseo, backlinks=open', SUGGEST_URLS: 'none' },
    }),
  ]);
}, 120_000);
afterAll(async () => {
  await Promise.all([service.stop(), mixed.stop()]);
  await vendor[Symbol.asyncDispose]();
});
beforeEach(keepToOneDay);

const ask = (endpoint: string, body: Record<string, unknown>, { url, key } = service) =>
  call(`/api/proxy/web/v1/seo-insights/${endpoint}`, { body, key }, url);
const items = (...list: unknown[]): VendorAnswer => ({ result: [{ items_count: list.length, items: list }] });
const missingOf = (body: Record<string, any>) =>
  body['data'].coverage.missing.map((one: { figure: string }) => one.figure);
const taskOf = (path: string) => calls.find((one) => one.path === path)?.task;

test('backlinks are the calls of the vendor, with their cost', async () => {
  answers = {
    'backlinks/summary/live': {
      result: [
        {
          target: 'example.org',
          rank: 41,
          backlinks: 200,
          referring_domains: 30,
          referring_pages_nofollow: 50,
          referring_links_attributes: { nofollow: 45, ugc: 20, noopener: 10 },
        },
      ],
    },
    'backlinks/referring_domains/live': items(
      {
        type: 'backlinks_referring_domain',
        domain: 'big.example',
        rank: 70,
        backlinks: 20,
        first_seen: '2024-01-02 03:04:05 +00:00',
        lost_date: null,
      },
      {
        type: 'backlinks_referring_domain',
        domain: 'small.example',
        rank: 30,
        backlinks: 4,
        first_seen: null,
        lost_date: null,
      },
    ),
    'backlinks/anchors/live': items(
      {
        type: 'backlinks_anchor',
        anchor: 'click here',
        backlinks: 100,
        referring_links_types: { anchor: 100 },
      },
      { type: 'backlinks_anchor', anchor: null, backlinks: 50, referring_links_types: { image: 50 } },
    ),
    'backlinks/backlinks/live': items({
      type: 'backlink',
      url_from: 'https://big.example/a',
      url_to: 'https://example.org/',
      anchor: 'Example',
      attributes: ['nofollow', 'ugc'],
      dofollow: false,
      last_seen: '2026-11-02 00:00:00 +00:00',
    }),
  };
  const { status, body } = await ask('backlinks', { domain: 'https://www.example.org/x', limit: 50 });
  expect(status).toBe(200);
  expect(body['data']).toMatchObject({
    domain: 'example.org',
    authority: { value: 41, source: 'DataForSEO', confidence: 'medium' },
    totals: { backlinks: 200, referringDomains: 30, dofollow: 150, nofollow: 50 },
    referringDomains: [
      { domain: 'big.example', authority: 70, links: 20, firstSeen: '2024-01-02', lastSeen: null },
      { domain: 'small.example', authority: 30, links: 4, firstSeen: null },
    ],
    anchors: [
      { anchor: 'click here', count: 100, share: 0.5, type: 'generic' },
      { anchor: '', count: 50, share: 0.25, type: 'image' },
    ],
    quality: {
      score: Math.round(25 + 22.5 + 18),
      dofollowShare: 0.75,
      meanAuthority: 50,
      topDomainShare: 0.1,
    },
    links: [{ from: 'https://big.example/a', rel: 'nofollow ugc', seenAt: '2026-11-02' }],
  });
  const today = new Date().toISOString().slice(0, 10);
  expect(body['meta'].sources).toEqual([{ name: 'DataForSEO', asOf: today }]);
  expect(body['meta'].cost).toEqual({ amount: 0.1, currency: 'USD' });
  expect(taskOf('backlinks/summary/live')).toEqual({ target: 'example.org', rank_scale: 'one_hundred' });
  expect(taskOf('backlinks/backlinks/live')).toMatchObject({ limit: 50, mode: 'as_is' });
  // Of 30 referring domains two are listed, the strongest: neither need be the one that links most.
  expect(calls.at(-1)).toMatchObject({
    path: 'backlinks/referring_domains/live',
    task: { limit: 1, order_by: ['backlinks,desc'] },
  });
  expect(missingOf(body)).toEqual(['referringDomains.lastSeen', 'referringDomains.firstSeen']);

  const before = calls.length;
  const again = await ask('backlinks', { domain: 'example.org', limit: 50 });
  expect(again.body['meta'].cost).toBeNull();
  expect(calls.length).toBe(before);

  const fewer = await ask('backlinks', { domain: 'example.org', limit: 1 });
  expect(fewer.body['data'].referringDomains).toHaveLength(1);
  expect(fewer.body['data'].quality).toEqual(body['data'].quality);
});

test('anchors are told where their total is not, and an odd figure takes nothing but itself', async () => {
  answers = {
    'backlinks/summary/live': { result: [{ target: 'odd.example', rank: 41 }] },
    'backlinks/referring_domains/live': items(
      { domain: 'big.example', rank: 101, backlinks: 20 },
      { domain: 'small.example', rank: 30, backlinks: -1 },
    ),
    'backlinks/anchors/live': items(
      { anchor: 'click here', backlinks: 30, referring_links_types: { anchor: 1.5 } },
      { anchor: 'boats', backlinks: 10 },
    ),
    'backlinks/backlinks/live': items(),
  };
  const { status, body } = await ask('backlinks', { domain: 'odd.example' });
  expect(status).toBe(200);
  expect(body['data']).toMatchObject({
    totals: { backlinks: null },
    referringDomains: [
      { domain: 'big.example', authority: null, links: 20 },
      { domain: 'small.example', authority: 30, links: null },
    ],
    anchors: [
      { anchor: 'click here', count: 30, share: 0.75 },
      { anchor: 'boats', count: 10, share: 0.25 },
    ],
  });

  answers['backlinks/summary/live'] = { result: [{ target: 'wrong.example', rank: 101 }] };
  expect((await ask('backlinks', { domain: 'wrong.example' })).status).toBe(502);
});

test('traffic is of search engines only, by country and channel, with its history', async () => {
  const place = (location_code: number, organic: number, paid: number) => ({
    se_type: 'google',
    location_code,
    language_code: 'en',
    metrics: { organic: { etv: organic, count: 10 }, paid: { etv: paid, count: 1 } },
  });
  answers = {
    'dataforseo_labs/google/domain_rank_overview/live': items(place(2840, 600, 100), place(2276, 300, 0)),
    'dataforseo_labs/google/historical_bulk_traffic_estimation/live': items({
      target: 'example.org',
      metrics: {
        organic: [
          { year: 2026, month: 10, etv: 900 },
          { year: 2026, month: 9, etv: 450 },
        ],
        paid: [],
      },
    }),
  };
  const { body } = await ask('traffic', { domain: 'example.org' });
  expect(body['data']).toMatchObject({
    monthlyVisits: { low: null, mid: 1_000, high: null, scope: 'search', source: 'DataForSEO' },
    globalRank: null,
    sources: [
      { channel: 'organic search', share: 0.9 },
      { channel: 'paid search', share: 0.1 },
    ],
    trend: [
      { month: '2026-09', index: 50 },
      { month: '2026-10', index: 100 },
    ],
    topCountries: [
      { country: 'US', share: 0.7 },
      { country: 'DE', share: 0.3 },
    ],
  });
  expect(taskOf('dataforseo_labs/google/domain_rank_overview/live')).toEqual({
    target: 'example.org',
    limit: 1_000,
  });
});

test('keyword ideas have volumes, prices and difficulty', async () => {
  answers = {
    'dataforseo_labs/google/keyword_ideas/live': items({
      keyword: 'rote schuhe kaufen',
      keyword_info: {
        search_volume: 880,
        competition: 0.97,
        competition_level: 'HIGH',
        cpc: 0.53,
        monthly_searches: [
          { year: 2026, month: 10, search_volume: 900 },
          { year: 2026, month: 9, search_volume: 700 },
        ],
      },
      keyword_properties: { keyword_difficulty: 12 },
      search_intent_info: { main_intent: 'transactional' },
    }),
  };
  const { body } = await ask('keyword-ideas', { keyword: 'rote schuhe', country: 'DE', limit: 5 });
  expect(body['data'].ideas).toEqual([
    {
      keyword: 'rote schuhe kaufen',
      searchVolume: 880,
      competition: 0.97,
      competitionLevel: 'high',
      cpc: 0.53,
      trend: [
        { month: '2026-09', searchVolume: 700 },
        { month: '2026-10', searchVolume: 900 },
      ],
      difficulty: 12,
      intent: 'transactional',
      relevance: null,
      source: 'DataForSEO',
    },
  ]);
  expect(taskOf('dataforseo_labs/google/keyword_ideas/live')).toEqual({
    keywords: ['rote schuhe'],
    location_code: 2276,
    language_code: 'de',
    limit: 5,
  });
});

test('keyword difficulty is its score beside its search results', async () => {
  answers = {
    'dataforseo_labs/google/bulk_keyword_difficulty/live': items({
      se_type: 'google',
      keyword: 'boots',
      keyword_difficulty: 55,
    }),
    'serp/google/organic/live/regular': items(
      { type: 'paid', rank_group: 1, domain: 'ad.example', title: 'Ad', url: 'https://ad.example/' },
      {
        type: 'organic',
        rank_group: 1,
        domain: 'www.big.example',
        title: 'Boots',
        url: 'https://www.big.example/boots',
      },
    ),
  };
  const { body } = await ask('keyword-difficulty', { keyword: 'c++ boots 100%', country: 'US' });
  // In this API alone `+` is a space, and `%` begins an escape.
  expect(taskOf('serp/google/organic/live/regular')?.['keyword']).toBe('c%2B%2B boots 100%25');
  expect(taskOf('dataforseo_labs/google/bulk_keyword_difficulty/live')?.['keywords']).toEqual([
    'c++ boots 100%',
  ]);
  expect(body['data']).toMatchObject({
    difficulty: 55,
    band: 'hard',
    factors: [{ name: 'vendor', weight: 1, value: 55 }],
    serp: [{ position: 1, domain: 'big.example', title: 'Boots', authority: null }],
  });
});

test('what the vendor does not know is null, with the reason', async () => {
  answers = {
    'backlinks/summary/live': {
      result: [
        { target: 'unknown.example', rank: null, backlinks: null, referring_domains: null, info: null },
      ],
    },
    'backlinks/referring_domains/live': { result: [{ total_count: 0, items_count: 0, items: null }] },
    'backlinks/anchors/live': { result: [{ total_count: 0, items_count: 0, items: null }] },
    'backlinks/backlinks/live': { code: 40_102, message: 'No Search Results.' },
    'dataforseo_labs/google/domain_rank_overview/live': items({ location_code: 2840, metrics: null }),
    'dataforseo_labs/google/historical_bulk_traffic_estimation/live': items({ metrics: null }),
  };
  const backlinks = await ask('backlinks', { domain: 'unknown.example' });
  expect(backlinks.body['data']).toMatchObject({
    authority: null,
    totals: { backlinks: null, referringDomains: null, dofollow: null, nofollow: null },
    referringDomains: [],
    quality: { score: null, dofollowShare: null },
  });
  expect(missingOf(backlinks.body)).toEqual([
    'authority',
    'totals',
    'referringDomains',
    'anchors',
    'quality',
    'links',
  ]);
  const reason = 'DataForSEO does not know unknown.example.';
  expect(backlinks.body['data'].coverage).toMatchObject({
    figures: [],
    missing: [{ reason }, {}, {}, {}, {}, {}],
  });
  const traffic = await ask('traffic', { domain: 'unknown.example' });
  expect(traffic.body['data']).toMatchObject({
    monthlyVisits: null,
    sources: null,
    topCountries: null,
    trend: [],
  });
  expect(missingOf(traffic.body)).toEqual([
    'monthlyVisits',
    'globalRank',
    'sources',
    'trend',
    'topCountries',
  ]);
});

describe('where only traffic is asked of the vendor', () => {
  test('that is answered by it, and backlinks by what is open', async () => {
    answers = {
      'dataforseo_labs/google/domain_rank_overview/live': items({
        location_code: 2840,
        metrics: { organic: { etv: 7 }, paid: null },
      }),
      'dataforseo_labs/google/historical_bulk_traffic_estimation/live': items(),
    };
    const traffic = await ask('traffic', { domain: 'mixed.example' }, mixed);
    expect(traffic.body['data'].monthlyVisits).toMatchObject({ mid: 7, source: 'DataForSEO' });
    const before = calls.length;
    const backlinks = await ask('backlinks', { domain: 'mixed.example' }, mixed);
    expect(backlinks.body['data'].coverage.missing[0].mend).toMatch(/npm run -s seo -- import/);
    expect(calls.length).toBe(before);
  });

  test.each([
    ['keyword-ideas', /SUGGEST_URLS/],
    ['keyword-difficulty', /SEARXNG_URL.*SEO_PROVIDERS=keyword-difficulty=dataforseo/],
  ])('%s without a source is not configured, and says what to set', async (endpoint, detail) => {
    const { status, body } = await ask(endpoint, { keyword: 'boats', country: 'US' }, mixed);
    expect(status).toBe(503);
    expect(body).toMatchObject({ code: 'not_configured', detail: expect.stringMatching(detail) });
  });
});

describe('a failure of the vendor', () => {
  test.each([
    [40_200, 'Payment Required.', 502, 'upstream_failed', /cannot pay/],
    [40_100, 'You are not authorized.', 503, 'not_configured', /DATAFORSEO_LOGIN/],
    [40_203, 'The cost limit per day has been exceeded.', 502, 'upstream_failed', /in a day/],
    [40_204, 'Access denied. Activate your subscription.', 503, 'not_configured', /no access.*SEO_PROVIDERS/],
    [40_207, 'Your IP is not whitelisted.', 502, 'upstream_failed', /does not let this account/],
    [40_209, 'Too many simultaneous requests.', 502, 'upstream_failed', /fewer requests/],
    [40_210, 'Insufficient Funds.', 502, 'upstream_failed', /cannot pay/],
    [40_202, 'The rate-limit per minute has been exceeded.', 502, 'upstream_failed', /fewer requests/],
    [40_501, "Invalid Field: 'location_code'.", 400, 'invalid_request', /country, language or target/],
    [40_503, 'POST Data Is Invalid.', 502, 'upstream_failed', /DataForSEO failed \(40503 POST Data/],
    [50_000, 'Internal Error.', 502, 'upstream_failed', /DataForSEO failed \(50000 Internal Error\.\)/],
  ])('with its code %i is answered %s %i', async (code, message, status, ours, detail) => {
    answers = { 'dataforseo_labs/google/keyword_ideas/live': { code, message } };
    const { status: got, body } = await ask('keyword-ideas', { keyword: `failing ${code}`, country: 'US' });
    expect(got).toBe(status);
    expect(body).toMatchObject({ code: ours, detail: expect.stringMatching(detail) });
    expect(JSON.stringify(body)).not.toContain(account.password);
  });

  test('is none where it only found nothing', async () => {
    answers = {
      'dataforseo_labs/google/keyword_ideas/live': { code: 40_102, message: 'No Search Results.' },
    };
    const { status, body } = await ask('keyword-ideas', { keyword: 'nobody asks', country: 'US' });
    expect(status).toBe(200);
    expect(body['data'].ideas).toEqual([]);
  });
});
