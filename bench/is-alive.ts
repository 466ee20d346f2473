import { startService } from '../test/support/service.ts';
import { startSite } from '../test/support/site.ts';
import { median, rateOf, timeOf } from './measure.ts';
import { head, post } from './request.ts';
import { tellFigure } from './figures.ts';

/** What `url/is-alive` costs beside a bare HEAD of the same page on loopback: one at a time, and 16 at a time. */
const rounds = 300;
const concurrency = 16;

const site = await startSite();
const service = await startService({ env: { NODE_ENV: 'production' } });
try {
  const url = `${site.origin}/article-plain`;
  const bare = () => head(url);
  const through = () => post(service, '/api/proxy/web/v1/url/is-alive', { url });
  const samples: { bare: number; through: number }[] = [];
  for (let n = 0; n < rounds + 20; n++) {
    const sample = { bare: await timeOf(bare), through: await timeOf(through) };
    if (n >= 20) samples.push(sample);
  }
  const p50 = (name: 'bare' | 'through') => median(samples.map((sample) => sample[name])).toFixed(2);
  const rates = {
    bare: await rateOf(4 * rounds, concurrency, bare),
    through: await rateOf(4 * rounds, concurrency, through),
  };
  tellFigure({
    what: `is-alive, ${concurrency} at a time`,
    value: rates.through,
    unit: '/s',
    baseline: rates.bare,
  });
  console.log(`is-alive, ${rounds} pairs on ${service.redis}`);
  console.log(
    `  one at a time      bare HEAD p50 ${p50('bare')} ms   through the API p50 ${p50('through')} ms`,
  );
  console.log(
    `  ${concurrency} at a time      bare HEAD ${rates.bare.toFixed(0)}/s   through the API ${rates.through.toFixed(0)}/s   ratio ${(rates.through / rates.bare).toFixed(2)}`,
  );
} finally {
  await service.stop();
  await site.close();
}
