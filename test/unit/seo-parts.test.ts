import { describe, expect, test } from 'vitest';
import { registrableDomainOf, seoDomain } from '../../src/shared/schemas/seo.ts';
import { anchorTypeOf } from '../../src/workers/seo/anchor-type.ts';
import { createDataForSeoClient, type DataForSeoClient } from '../../src/workers/seo/dataforseo-client.ts';
import * as vendorItems from '../../src/workers/seo/dataforseo-items.ts';
import { readVendorBacklinks, readVendorTraffic } from '../../src/workers/seo/dataforseo-domains.ts';
import { readVendorDifficulty, readVendorIdeas } from '../../src/workers/seo/dataforseo-keywords.ts';
import { expandKeyword, languageOfCountry } from '../../src/workers/seo/expansions.ts';
import { intentOf } from '../../src/workers/seo/intent.ts';
import { suggestKeywordIdeas } from '../../src/workers/seo/open-keyword-ideas.ts';
import { createSuggestEngines } from '../../src/workers/seo/suggest.ts';
import {
  allAnswers,
  type Ask,
  type AskOptions,
  createAsk,
  UpstreamBlocked,
} from '../../src/workers/seo/upstream.ts';
import { hasPhrase } from '../../src/workers/seo/words.ts';

test('an answer of a service is read in its own charset, and answered where it cannot be kept', async () => {
  const away = new Error('The database is away.');
  const lost: unknown[] = [];
  const lease = {
    fetch: async () => ({
      status: 200,
      headers: { 'content-type': 'text/javascript; charset=ISO-8859-1' },
      body: Buffer.from('["caf\u00e9"]', 'latin1'),
      truncated: false,
    }),
  };
  const { ask } = createAsk({
    lease,
    slots: { take: async (_: string, __: number, use: () => unknown) => await use() },
    kept: { find: async () => null, keep: async () => Promise.reject(away) },
    cooldowns: { leftMs: async () => 0, begin: async () => undefined },
    signal: new AbortController().signal,
    onLost: (error: unknown) => void lost.push(error),
  } as unknown as AskOptions);
  const { text } = await ask(
    { name: 'Suggest', host: 'a.example', delayMs: 0 },
    { url: 'https://a.example/' },
  );
  expect(text).toBe('["caf\u00e9"]');
  expect(lost).toEqual([away]);
});

const run = {
  jobId: '',
  signal: new AbortController().signal,
  warn() {},
  tellSource() {},
  tellCost() {},
  deadlineAt: Infinity,
};
/** What Google and Wikipedia make of a keyword: the first blocks us, or suggests as it is told. */
const ideasOf = async (keyword: string, google: 'blocked' | string[]) => {
  const ask: Ask = async (upstream) => {
    if (upstream.host === 'google.example' && google === 'blocked')
      throw new UpstreamBlocked(upstream, 'answered 429', 60);
    const found = upstream.host === 'google.example' ? google : [];
    return { text: JSON.stringify([keyword, found]), asOf: '2026-11-01', isKept: false };
  };
  const urls = (['google', 'wikipedia'] as const).map((engine) => {
    const template = `https://${engine}.example`;
    return { engine, template, url: new URL(template) };
  });
  return await suggestKeywordIdeas(urls, { keyword, country: 'CN', language: 'zh', limit: 9 }, ask, run);
};

describe('keyword ideas', () => {
  test('none, where one engine blocks and the others know nothing, are a failure that says when to come back', async () => {
    await expect(ideasOf('boats', 'blocked')).rejects.toMatchObject({
      code: 'upstream_failed',
      detail: expect.stringContaining('Google suggest answered 429'),
      retryAfterSeconds: 60,
    });
    expect((await ideasOf('boats', [])).ideas).toEqual([]);
  });

  test('that are there when the time of the job is over are answered, with a warning', async () => {
    const warned: string[] = [];
    const ask: Ask = async (upstream) => {
      if (upstream.host === 'google.example') await new Promise(() => undefined);
      return { text: JSON.stringify(['boats', ['old boats']]), asOf: '2026-11-01', isKept: false };
    };
    const hasty = {
      ...run,
      deadlineAt: performance.now() + 5_100,
      warn: (code: string) => void warned.push(code),
    };
    const urls = (['google', 'bing'] as const).map((engine) => {
      const template = `https://${engine}.example`;
      return { engine, template, url: new URL(template) };
    });
    const query = { keyword: 'boats', country: 'GB', language: 'en', limit: 50 };
    const { ideas } = await suggestKeywordIdeas(urls, query, ask, hasty);
    expect(ideas.map(({ keyword }) => keyword)).toEqual(['old boats']);
    expect(warned).toEqual(['ideas_cut']);
    const none = suggestKeywordIdeas(urls.slice(0, 1), query, ask, {
      ...hasty,
      deadlineAt: performance.now(),
    });
    await expect(none).rejects.toMatchObject({ code: 'upstream_failed' });
  });

  test('of a script without spaces are as relevant as others', async () => {
    const { ideas } = await ideasOf('运动鞋', ['运动鞋推荐', '皮鞋']);
    expect(ideas.map(({ keyword, relevance }) => [keyword, relevance])).toEqual([
      ['运动鞋推荐', 1],
      ['皮鞋', 0.5],
    ]);
  });
});

test.each([
  ['GB', 'en', 'hl=en&gl=gb', 'kl=uk-en'],
  ['TW', 'zh', 'hl=zh-TW&gl=tw', 'kl=tw-tzh'],
  ['JP', 'ja', 'hl=ja&gl=jp', 'kl=jp-jp'],
  ['FR', 'fr', 'hl=fr&gl=fr', 'kl=fr-fr'],
])('engines are asked in %s for %s in their own codes', async (country, language, google, duck) => {
  const urls: string[] = [];
  const ask: Ask = async (_, { url }) => {
    urls.push(url);
    return { text: '["x", []]', asOf: '2026-11-01', isKept: false };
  };
  const engines = (['google', 'duckduckgo'] as const).map((engine) => ({
    engine,
    template: 'https://a.example',
    url: null,
  }));
  for (const engine of createSuggestEngines(engines, { country, language }, ask)) await engine.suggest('x');
  expect(urls).toEqual([expect.stringContaining(google), expect.stringContaining(duck)]);
});

test.each([
  ['2026最好的运动鞋推荐', '运动鞋', true],
  ['人気のランニングシューズ10選', 'ランニングシューズ', true],
  ['รวมรองเท้าวิ่งน่าใช้', 'รองเท้าวิ่ง', true],
  ['最好的皮鞋', '运动鞋', false],
  ['Red-Shoes! Sale', 'red shoes', true],
  ['Infrared shoes', 'red shoes', false],
  ['C# vs D', 'c++', false],
  ['Learn C++ in a day', 'c++', true],
  ['Red+blue shoes', 'red blue', true],
  ['', '!', false],
])('%s has the phrase %s: %s', (text, phrase, expected) => {
  expect(hasPhrase(text, phrase)).toBe(expected);
});

test.each([
  ['affordable cars', 'ford.com', 'other'],
  ['Ford cars', 'ford.com', 'brand'],
  ['pineapple pie', 'apple.com', 'other'],
  ['our Red Shoes!', 'redshoes.com', 'brand'],
  ['RedShoes', 'red-shoes.com', 'brand'],
  ['Disney+', 'disney.com', 'brand'],
  ['München', 'xn--mnchen-3ya.de', 'brand'],
  ['淘宝网', 'xn--5nq61e.com', 'other'],
  ['Node.js', 'example.org', 'other'],
  ['ASP.NET', 'example.org', 'other'],
  ['v2.0', 'example.org', 'other'],
  ['3.5', 'example.org', 'other'],
  ['e.g', 'example.org', 'other'],
  ['Example.org', 'example.org', 'url'],
  ['shop.example.org/red', 'example.org', 'url'],
  ['münchen.de', 'xn--mnchen-3ya.de', 'url'],
  ['www.other.net', 'example.org', 'url'],
  ['other.net/page', 'example.org', 'url'],
  ['https://t.co/x', 'example.org', 'url'],
  ['点击这里', 'example.org', 'generic'],
  ['Здесь', 'example.org', 'generic'],
  ['подробнее…', 'example.org', 'generic'],
  ['こちら', 'example.org', 'generic'],
  ['اضغط هنا', 'example.org', 'generic'],
  ['czytaj więcej', 'example.org', 'generic'],
])('the anchor %s of a link to %s is %s', (anchor, domain, expected) => {
  expect(anchorTypeOf({ anchor, image: false, to: `https://${domain}/` }, domain)).toBe(expected);
});

describe('a keyword is expanded', () => {
  test.each([
    ['chaussures', 'fr', 'FR', 'chaussures près de'],
    ['кроссовки', 'ru', 'RU', 'как кроссовки'],
    ['buty', 'pl', 'PL', 'buty bez'],
    ['ayakkabı', 'tr', 'TR', 'ayakkabı nedir'],
    ['حذاء', 'ar', 'EG', 'كيف حذاء'],
    ['靴', 'ja', 'JP', '靴 とは'],
    ['운동화', 'ko', 'KR', '운동화 가'],
    ['运动鞋', 'zh', 'CN', '运动鞋 怎么'],
    ['運動鞋', 'zh', 'TW', '運動鞋 怎麼'],
  ])('%s in %s of %s', (keyword, language, country, expected) => {
    const queries = expandKeyword(keyword, language, country);
    expect(queries[0]).toBe(keyword);
    expect(queries).toContain(expected);
    expect(new Set(queries).size).toBe(queries.length);
  });

  test('without parts of prepositions', () => {
    expect(expandKeyword('chaussures', 'fr', 'FR')).not.toContain('chaussures près');
  });

  test('in a language of two letters for each country', () => {
    expect(['PH', 'CW', 'PG', 'NO', 'TW'].map(languageOfCountry)).toEqual(['tl', 'nl', 'en', 'no', 'zh']);
  });
});

test.each([
  ['vs code tutorial', 'en', 'informational'],
  ['nike vs adidas', 'en', 'commercial'],
  ['contact lenses', 'en', null],
  ['quarry contact', 'en', 'navigational'],
  ['book of mormon', 'en', null],
  ['under armour', 'en', null],
  ['shoes under $50', 'en', 'commercial'],
  ['купить кроссовки', 'ru', 'transactional'],
  ['运动鞋推荐', 'zh', 'commercial'],
  ['運動鞋價格', 'zh', 'transactional'],
  ['靴 とは', 'ja', 'informational'],
  ['운동화 후기', 'ko', 'commercial'],
  ['scarpe migliori', 'it', 'commercial'],
])('%s in %s is %s', (keyword, language, expected) => {
  expect(intentOf(keyword, language)).toBe(expected);
});

test.each([
  ['https://github.io/page', 'github.io'],
  ['blogspot.com', 'blogspot.com'],
  ['ann.github.io', 'ann.github.io'],
  ['www.example.co.uk', 'example.co.uk'],
])('%s is of the domain %s', (given, domain) => {
  expect(registrableDomainOf(given)).toBe(domain);
});

test.each(['co.uk', 'localhost', '192.0.2.1', 'com'])('%s is of no domain', (given) => {
  expect(seoDomain.safeParse(given).success).toBe(false);
});

test('answers that are paid for are waited for where one of them fails', async () => {
  const ended: string[] = [];
  const paid = new Promise<void>((resolve) => setTimeout(resolve, 20)).then(() => void ended.push('paid'));
  await expect(allAnswers([Promise.reject(new Error('first')), paid])).rejects.toThrow('first');
  expect(ended).toEqual(['paid']);
});

describe('DataForSEO', () => {
  const callWith = async (ask: Ask) => {
    const account = { login: 'ann', password: 'secret', url: new URL('https://vendor.example') };
    const client = createDataForSeoClient(account, ask, run);
    return await client.call('backlinks/summary/live', {}, vendorItems.backlinksSummary);
  };

  test.each([[[]], [null]])(
    'that is done without a task (%j) has failed, and is asked again',
    async (tasks) => {
      const text = JSON.stringify({ status_code: 20_000, status_message: 'Ok.', tasks });
      const kept: unknown[] = [];
      const ask: Ask = async (_, __, isWorthKeeping = () => true) => {
        if (isWorthKeeping(text)) kept.push(text);
        return { text, asOf: '2026-11-01', isKept: false };
      };
      await expect(callWith(ask)).rejects.toMatchObject({ code: 'upstream_failed' });
      expect(kept).toEqual([]);
    },
  );

  test.each([
    { rank: 120 },
    { rank: -1 },
    { backlinks: 1.5 },
    { backlinks: 1e300 },
    { referring_domains: -2 },
  ])('whose figures can be none (%j) has failed', async (figures) => {
    const task = { status_code: 20_000, result: [figures] };
    const text = JSON.stringify({ status_code: 20_000, status_message: 'Ok.', tasks: [task] });
    const ask: Ask = async () => ({ text, asOf: '2026-11-01', isKept: false });
    await expect(callWith(ask)).rejects.toMatchObject({ code: 'upstream_failed' });
  });

  const clientOf = (answers: Record<string, unknown>): DataForSeoClient => ({
    asOf: '2026-11-01',
    call: async (path, _, schema) => {
      const [, result] = Object.entries(answers).find(([part]) => path.includes(part)) ?? [];
      return result === undefined ? [] : [schema.parse(result)];
    },
  });

  test('that does not tell a figure has told no zero', async () => {
    const anchors = [{ anchor: 'told', backlinks: 5 }, { anchor: 'not told' }];
    const backlinks = await readVendorBacklinks(
      clientOf({ 'summary/': { backlinks: 10 }, 'anchors/': { items: anchors } }),
      { domain: 'example.com', limit: 10 },
    );
    expect(backlinks.anchors.map(({ anchor, count, share }) => [anchor, count, share])).toEqual([
      ['told', 5, 0.5],
    ]);
    const places = [{ location_code: 2_840, metrics: { organic: { etv: 30 }, paid: null } }];
    const traffic = await readVendorTraffic(clientOf({ rank_overview: { items: places } }), {
      domain: 'example.com',
    });
    expect(traffic.sources).toEqual([{ channel: 'organic search', share: 1 }]);
    expect(traffic.topCountries).toEqual([{ country: 'US', share: 1 }]);
    const results = [
      { type: 'organic', url: 'https://www.shop.example/a', title: 'A' },
      { type: 'organic', url: 'nowhere', title: 'B' },
    ];
    const query = { keyword: 'a', country: 'US', language: 'en' };
    const { serp } = await readVendorDifficulty(clientOf({ serp: { items: results } }), query);
    expect(serp.map(({ domain }) => domain)).toEqual(['shop.example']);
  });

  test.each([
    [99, 1],
    [100, 2],
  ])('that lists %i referring domains and not how many there are is asked %i times', async (size, times) => {
    const listed = Array.from({ length: size }, (_, at) => ({
      domain: `d${at}.example`,
      rank: 5,
      backlinks: 1,
    }));
    const limits: unknown[] = [];
    const { call } = clientOf({ 'summary/': { backlinks: 1_000, referring_pages_nofollow: 0 } });
    const client: DataForSeoClient = {
      asOf: '2026-11-01',
      async call(path, task, schema) {
        if (!path.includes('referring_domains/')) return await call(path, task, schema);
        const { limit } = task as { limit: number };
        limits.push(limit);
        return [schema.parse({ items: limit === 1 ? [{ domain: 'most.example', backlinks: 300 }] : listed })];
      },
    };
    const { quality } = await readVendorBacklinks(client, { domain: 'example.com', limit: 10 });
    expect(limits).toEqual([100, 1].slice(0, times));
    expect(quality.topDomainShare).toBe(times === 1 ? 0.001 : 0.3);
  });

  test.each([
    [{ 'summary/': { rank: 40, referring_domains: 3 } }, 'DataForSEO does not tell it.'],
    [{ 'anchors/': { items: [{ anchor: 'told', backlinks: 5 }] } }, 'DataForSEO does not tell it.'],
    [{ 'summary/': { rank: null, backlinks: null } }, 'DataForSEO does not know example.com.'],
  ])('that tells %j says why it tells no more', async (answers, reason) => {
    const { coverage } = await readVendorBacklinks(clientOf(answers), { domain: 'example.com', limit: 10 });
    expect(coverage.missing).toContainEqual({ figure: 'links', reason, mend: null });
  });

  test('that asks for rest says for how long', async () => {
    const ask: Ask = async (upstream) => {
      throw new UpstreamBlocked(upstream, 'answered 429', 90);
    };
    await expect(callWith(ask)).rejects.toMatchObject({ code: 'upstream_failed', retryAfterSeconds: 90 });
  });

  test.each([
    ['CN', 'zh', 'zh-CN'],
    ['SG', 'zh', 'zh-CN'],
    ['TW', 'zh', 'zh-TW'],
    ['HK', 'zh', 'zh-TW'],
    ['NO', 'no', 'nb'],
    ['PH', 'tl', 'tl'],
  ])('is asked in %s for %s as %s', async (country, language, expected) => {
    const tasks: object[] = [];
    const client: DataForSeoClient = {
      asOf: '2026-11-01',
      async call(_, task) {
        tasks.push(task);
        return [];
      },
    };
    await readVendorIdeas(client, { keyword: 'boats', country, language, limit: 1 });
    expect(tasks).toMatchObject([{ language_code: expected }]);
  });
});
