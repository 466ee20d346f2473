import { startLargeSiteProcess } from '../test/support/large-site-process.ts';
import { startService } from '../test/support/service.ts';
import { createEgressDoor } from '../src/shared/egress/door.ts';
import { median, rateOf } from './measure.ts';
import { tellFigure } from './figures.ts';

/**
 * A links map of 2,000 pages through the whole service, against a bare loop in one process that makes the very
 * same requests (pages, redirects, robots.txt, sitemaps) with the same HTTP client, the egress door's, at the same
 * concurrency, and reads every body and nothing more: pages a second, and their ratio. The map's time is its
 * job's, from its claim to its stored result. Rounds of both alternate; the first ones warm them up and do not
 * count. Once with a site that answers at once, where all of the map's own work shows, and once with one that
 * takes as long as a quick server near by.
 */
const pages = 2_000;
const concurrency = 8;
const warmUps = 3;
const rounds = 7;

const door = createEgressDoor({ allow: ['127.0.0.0/8'] });
const service = await startService({
  env: { NODE_ENV: 'production', CRAWL_HOST_CONCURRENCY: String(concurrency) },
});

interface MapAnswer {
  data: { nodes: { url: string }[] };
  meta: { timings: { runMs: number } };
}

async function mapOnce(origin: string): Promise<MapAnswer> {
  const response = await fetch(new URL('/api/proxy/web/v1/scrape/links-map', service.url), {
    method: 'POST',
    headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: origin, depth: 5, limit: 5_000 }),
  });
  const answer = (await response.json()) as MapAnswer;
  if (response.status !== 200) throw new Error(`links-map answered ${response.status}`);
  return answer;
}

async function bareRate(origin: string, paths: readonly string[]): Promise<number> {
  await using lease = door.openLease({ byteBudget: 4 * 1024 ** 3 });
  let next = 0;
  return await rateOf(paths.length, concurrency, () =>
    lease.fetch({ url: `${origin}${paths[next++] ?? ''}`, redirect: 'manual' }),
  );
}

try {
  for (const answerMs of [0, 10]) {
    await using site = await startLargeSiteProcess(pages, answerMs);
    const bare: number[] = [];
    const map: number[] = [];
    let nodes = 0;
    for (let round = -warmUps; round < rounds; round++) {
      const { data, meta } = await mapOnce(site.origin);
      const paths = await site.takeRequests();
      const rate = await bareRate(site.origin, paths);
      await site.takeRequests();
      nodes = data.nodes.length;
      if (round < 0) continue;
      map.push((paths.length * 1_000) / meta.timings.runMs);
      bare.push(rate);
    }
    const ratio = median(map.map((rate, round) => rate / (bare[round] ?? NaN)));
    tellFigure({
      what: `pages of a links map, ${answerMs} ms an answer`,
      value: median(map),
      unit: '/s',
      baseline: median(bare),
    });
    console.log(
      `links-map of ${nodes} pages, concurrency ${concurrency}, ${answerMs} ms an answer, ${service.redis}`,
    );
    console.log(`  bare loop  ${median(bare).toFixed(0)} pages/s`);
    console.log(`  links map  ${median(map).toFixed(0)} pages/s   ratio ${ratio.toFixed(2)}`);
  }
} finally {
  await service.stop();
  await door[Symbol.asyncDispose]();
}
