import { startService } from '../test/support/service.ts';
import { startSite } from '../test/support/site.ts';
import { median, rateOf, timeOf } from './measure.ts';
import { get, post } from './request.ts';
import { tellFigure } from './figures.ts';

/** A page scraped anew and from the cache, against a bare fetch of it: at once, and from a site that takes 100 ms. */
const rounds = 200;
const concurrency = 16;

const site = await startSite();
const service = await startService({ env: { NODE_ENV: 'production' } });
try {
  for (const path of ['/article', '/slow?wait=100']) {
    const url = site.origin + path;
    const scrape = (options: object) =>
      post(service, '/api/proxy/web/v1/scrape', { url, render: 'http', ...options });
    // A copy to find.
    await scrape({});
    const ways = {
      'bare fetch': () => get(url),
      uncached: () => scrape({}),
      cached: () => scrape({ maxAge: 86_400_000 }),
    };
    const times: Record<string, number[]> = {};
    for (let n = 0; n < rounds; n++) {
      for (const [name, way] of Object.entries(ways)) (times[name] ??= []).push(await timeOf(way));
    }
    console.log(`scrape of ${path}, ${rounds} each on ${service.redis}`);
    const bare = await rateOf(2 * rounds, concurrency, ways['bare fetch']);
    for (const [name, way] of Object.entries(ways)) {
      const rate = await rateOf(2 * rounds, concurrency, way);
      if (name !== 'bare fetch')
        tellFigure({ what: `scrape of ${path}, ${name}`, value: rate, unit: '/s', baseline: bare });
      console.log(
        `  ${name.padEnd(11)} p50 ${median(times[name] ?? []).toFixed(2)} ms   ${concurrency} at a time ${rate.toFixed(0)}/s   ratio ${(rate / bare).toFixed(2)}`,
      );
    }
  }
} finally {
  await service.stop();
  await site.close();
}
