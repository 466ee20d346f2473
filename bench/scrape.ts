import { startService } from '../test/support/service.ts';
import { startSite } from '../test/support/site.ts';
import { median, quantile, timeOf } from './measure.ts';
import { get, post } from './request.ts';
import { tellFigure } from './figures.ts';

/** What a round trip through the API adds to a fetch of a small page on loopback, one request at a time. */
const rounds = 300;

const site = await startSite();
const service = await startService({ env: { NODE_ENV: 'production' } });
try {
  const url = `${site.origin}/article-plain`;
  const bare = () => get(url);
  const through = () => post(service, '/api/proxy/web/v1/scrape', { url });
  const samples: { bare: number; through: number }[] = [];
  for (let n = 0; n < rounds + 20; n++) {
    const sample = { bare: await timeOf(bare), through: await timeOf(through) };
    if (n >= 20) samples.push(sample);
  }
  const row = (name: 'bare' | 'through') => {
    const values = samples.map((sample) => sample[name]);
    return `p50 ${median(values).toFixed(2)} ms   p99 ${quantile(values, 0.99).toFixed(2)} ms`;
  };
  const added = samples.map((sample) => sample.through - sample.bare);
  tellFigure({
    what: 'scrape, p50',
    value: median(samples.map((sample) => sample.through)),
    unit: 'ms',
    baseline: median(samples.map((sample) => sample.bare)),
  });
  console.log(`scrape, ${rounds} pairs on ${service.redis}`);
  console.log(`  bare fetch       ${row('bare')}`);
  console.log(`  through the API  ${row('through')}`);
  console.log(
    `  added            p50 ${median(added).toFixed(2)} ms   p99 ${quantile(added, 0.99).toFixed(2)} ms`,
  );
} finally {
  await service.stop();
  await site.close();
}
