import { environmentOf, pidOf, startProcess } from '../test/support/processes.ts';
import { startService } from '../test/support/service.ts';
import { startSite } from '../test/support/site.ts';
import { median, quantile, timeOf } from './measure.ts';
import { post } from './request.ts';
import { tellFigure } from './figures.ts';

/**
 * From the start of a browser worker's process to its first screenshot, stored and answered; Chromium is
 * unpacked already. The screenshot is asked for before and waits in the queue.
 */
const starts = 10;

const site = await startSite();
const service = await startService({ env: { NODE_ENV: 'production' } });
const shoot = () => post(service, '/api/proxy/web/v1/screenshot', { url: `${site.origin}/article` });
const env = environmentOf(service);
// A supervisor that is stopped starts no other worker in the place of its own.
service.process.kill('SIGSTOP');
process.kill(pidOf(service, 'worker-browser'), 'SIGKILL');

async function untilFirstScreenshot(): Promise<number> {
  const screenshot = shoot();
  const started = startProcess('src/workers/main.ts', ['browser'], env);
  const ms = await timeOf(() => screenshot);
  await (await started).stop();
  return ms;
}

try {
  const samples: number[] = [];
  for (let n = 0; n < starts; n++) samples.push(await untilFirstScreenshot());
  console.log(
    `start of a browser worker to its first stored screenshot, ${starts} times, on ${service.redis}`,
  );
  tellFigure({ what: 'worker start to first screenshot, p50', value: median(samples), unit: 'ms' });
  console.log(`  p50 ${median(samples).toFixed(0)} ms   max ${quantile(samples, 1).toFixed(0)} ms`);
} finally {
  service.process.kill('SIGCONT');
  await service.stop();
  await site.close();
}
