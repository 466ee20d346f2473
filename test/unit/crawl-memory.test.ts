import { expect, test } from 'vitest';
import { openCheckpoint } from '../../src/workers/crawl/checkpoint.ts';
import { createCrawlMemories } from '../../src/workers/crawl/crawl-memory.ts';
import type { Visit } from '../../src/workers/crawl/visit.ts';

const visitOf = (paths: readonly string[]): Visit => ({
  at: 'http://example.com/',
  status: 200,
  type: 'text/html',
  title: null,
  redirect: null,
  canonical: null,
  follows: true,
  links: paths.map((path) => [`http://example.com/${path}`, path, '']),
  digest: null,
  error: null,
});
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `page-${from + n}`);

test('links that pages share are held once, and past the bound links are left out', () => {
  const open = createCrawlMemories({ bytesOfCrawl: 100_000, bytesOfProcess: 1_000_000 });
  using memory = open();
  for (let page = 0; page < 40; page++) {
    const kept = memory.keep(visitOf(numbered(60)));
    expect(kept.links).toHaveLength(60);
    expect(kept.linksCut).toBeUndefined();
  }
  const cut = memory.keep(visitOf([...numbered(60), ...numbered(500, 1_000)]));
  expect(cut.linksCut).toBe(true);
  expect(cut.links.length).toBeGreaterThanOrEqual(60);
  expect(cut.links.length).toBeLessThan(560);
});

test('all crawls of a process stay within one bound, and give back what they held', () => {
  const open = createCrawlMemories({ bytesOfCrawl: 100_000, bytesOfProcess: 100_000 });
  using second = open();
  {
    using first = open();
    first.keep(visitOf(numbered(200)));
    expect(second.keep(visitOf(numbered(200))).linksCut).toBe(true);
  }
  expect(second.keep(visitOf(numbered(100))).linksCut).toBeUndefined();
});

test('a checkpoint is stored in small pieces, and read back', async () => {
  const stored: string[] = [];
  const store = {
    load: async function* () {
      for (const json of stored) yield JSON.parse(json);
    },
    save: async (_: readonly Visit[], json: string) => void stored.push(json),
  };
  const visit = visitOf([`${'x'.repeat(200_000)}`]);
  const fail = (error: unknown) => expect.fail(String(error));
  {
    await using checkpoint = await openCheckpoint(store, (it) => it, fail);
    for (let n = 0; n < 20; n++) await checkpoint.keep(`http://example.com/${n}`, visit);
  }
  expect(Math.max(...stored.map((json) => json.length))).toBeLessThan(1_500_000);
  await using again = await openCheckpoint(store, (it) => it, fail);
  expect(again.find('http://example.com/19')).toEqual(visit);
  expect(again.find('http://example.com/20')).toBeUndefined();
});
