import { join } from 'node:path';
import { environmentOf } from '../test/support/processes.ts';
import { startService } from '../test/support/service.ts';
import { startBareLoop } from './bare-loop.ts';
import { median, quantile, rateOf, timeOf } from './measure.ts';
import { post } from './request.ts';
import { tellFigure } from './figures.ts';

/**
 * Jobs that do nothing, a second, from the request to its answer, through one API and one worker process;
 * against the bare loop in one process and in two. All on the same Postgres and Redis, in turns.
 */
/** Short turns, and many: what else the machine does then hits both alike. */
const jobs = 200;
const rounds = 15;
const warmUp = 2_000;

const service = await startService({
  env: {
    NODE_ENV: 'production',
    EXTENSIONS: join(import.meta.dirname, '../test/support/operations'),
    PLANS: JSON.stringify({ scale: { rateLimit: 1_000_000, maxConcurrentJobs: 64, maxKeys: 50 } }),
  },
});
const throughApi = () => post(service, '/api/proxy/test/v1/noop', {});

/** Calls a second of the bare loop and of ours, in turns; and how long each of ours took. */
async function compare(bareJob: () => Promise<void>, concurrency: number) {
  const samples = [];
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    samples.push({
      bare: await rateOf(jobs, concurrency, bareJob),
      through: await rateOf(jobs, concurrency, async () => void times.push(await timeOf(throughApi))),
    });
  }
  return { samples, times };
}

try {
  const { DATABASE_URL: databaseUrl = '', REDIS_URL: redisUrl = '' } = environmentOf(service);
  console.log(`no-op jobs a second, median of ${rounds} rounds in turns, on ${service.redis}`);
  for (const twoProcesses of [false, true]) {
    await using bare = await startBareLoop({ databaseUrl, redisUrl }, { twoProcesses });
    const bareJob = () => bare.job();
    // Until all are compiled: what is compared is what they come to, not how quickly.
    await rateOf(warmUp, 8, bareJob);
    await rateOf(warmUp, 8, throughApi);
    for (const concurrency of [1, 32]) {
      const { samples, times } = await compare(bareJob, concurrency);
      const figures = [
        `bare ${median(samples.map((sample) => sample.bare)).toFixed(0)}/s`,
        `through the API ${median(samples.map((sample) => sample.through)).toFixed(0)}/s`,
        `ratio ${median(samples.map((sample) => sample.through / sample.bare)).toFixed(2)}`,
        `request to answer p50 ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
      ];
      const loop = twoProcesses ? 'loop in two processes' : 'loop in one process';
      tellFigure({
        what: `no-op jobs, ${concurrency} in flight, against a ${loop}`,
        value: median(samples.map((sample) => sample.through)),
        unit: '/s',
        baseline: median(samples.map((sample) => sample.bare)),
      });
      console.log(`  ${loop}, ${concurrency} in flight: ${figures.join('   ')}`);
    }
  }
} finally {
  await service.stop();
}
