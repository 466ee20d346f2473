import { join } from 'node:path';
import { createEgressDoor } from '../src/shared/egress/door.ts';
import { findExecutable } from '../src/workers/browser/executable.ts';
import { signIn } from '../src/workers/browser/blank-page.ts';
import { proxyEverything } from '../src/workers/browser/flags.ts';
import { prepareFonts } from '../src/workers/browser/fonts.ts';
import { LaunchedChromium } from '../src/workers/browser/launched-chromium.ts';
import { startReaper } from '../src/workers/processes/reaper.ts';
import { startService } from '../test/support/service.ts';
import { startSite } from '../test/support/site.ts';
import { median, rateOf } from './measure.ts';
import { post } from './request.ts';
import { tellFigure } from './figures.ts';

/**
 * Screenshots a second through the API against a bare Puppeteer loop with the same Chromium, flags and proxy,
 * and a context a shot; with ads and cookie banners kept away, as by default, and without. All are measured in turns, so that the machine's drift falls on both.
 */
const shots = 24;
const rounds = 5;

const site = await startSite();
const service = await startService({ env: { NODE_ENV: 'production' } });
const dataFolder = join(service.home, 'chromium');
const log = { info: () => undefined, warn: () => undefined };
const reaper = startReaper();
const chromium = await LaunchedChromium.launch({
  executable: await findExecutable({ dataFolder, log }),
  fontEnv: await prepareFonts(dataFolder),
  sandbox: process.getuid?.() !== 0,
  reaper,
});
await using door = createEgressDoor({ allow: ['127.0.0.0/8'] });

async function bareShot(url: string): Promise<void> {
  await using lease = door.openLease();
  const proxy = await lease.openProxy();
  const context = await chromium.browser.createBrowserContext({
    proxyServer: proxy.url,
    proxyBypassList: [proxyEverything],
  });
  const page = await context.newPage();
  await signIn(page, proxy);
  await page.setViewport({ width: 1280, height: 720 });
  await page.goto(url, { waitUntil: 'load' });
  await page.screenshot({ type: 'png' });
  await context.close();
}

try {
  const url = `${site.origin}/article`;
  const bare = () => bareShot(url);
  const shoot = (options: object) => () => post(service, '/api/proxy/web/v1/screenshot', { url, ...options });
  const through = shoot({});
  const plain = shoot({ blockAds: false, blockCookieBanners: false });
  await rateOf(8, 4, bare);
  await rateOf(8, 4, through);
  console.log(
    `screenshots a second, ${shots} shots a round, median of ${rounds} rounds in turns, on ${service.redis}`,
  );
  for (const concurrency of [1, 2, 4]) {
    const samples = [];
    for (let round = 0; round < rounds; round++) {
      samples.push({
        bare: await rateOf(shots, concurrency, bare),
        through: await rateOf(shots, concurrency, through),
        plain: await rateOf(shots, concurrency, plain),
      });
    }
    const figures = [
      `bare ${median(samples.map((sample) => sample.bare)).toFixed(1)}/s`,
      `everything on ${median(samples.map((sample) => sample.through)).toFixed(1)}/s`,
      `ratio ${median(samples.map((sample) => sample.through / sample.bare)).toFixed(2)}`,
      `everything off ${median(samples.map((sample) => sample.plain)).toFixed(1)}/s`,
      `ratio ${median(samples.map((sample) => sample.plain / sample.bare)).toFixed(2)}`,
    ];
    for (const name of ['through', 'plain'] as const)
      tellFigure({
        what: `screenshots, everything ${name === 'through' ? 'on' : 'off'}, concurrency ${concurrency}`,
        value: median(samples.map((sample) => sample[name])),
        unit: '/s',
        baseline: median(samples.map((sample) => sample.bare)),
      });
    console.log(`  concurrency ${concurrency}: ${figures.join('   ')}`);
  }
} finally {
  await chromium.kill();
  await reaper[Symbol.asyncDispose]();
  await service.stop();
  await site.close();
}
