import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import lighthouse from 'lighthouse';
import desktopConfig from 'lighthouse/core/config/desktop-config.js';
import type { Page } from 'puppeteer-core';
import { createEgressDoor } from '../src/shared/egress/door.ts';
import { openBlankPage } from '../src/workers/browser/blank-page.ts';
import { prepareChromium } from '../src/workers/browser/chromium-parts.ts';
import { LaunchedChromium } from '../src/workers/browser/launched-chromium.ts';
import { silentLog } from '../src/workers/browser/log.ts';
import { type Service, startService } from '../test/support/service.ts';
import { clickThrough } from './console-operations.ts';
import { startStandIns } from './console-stand-ins.ts';

/**
 * `npm run bench:console`: each page of the console, signed in, by Lighthouse, on a phone and on a desktop; the scripts
 * that the first page brings; and every operation sent once from the playground, by keyboard, with what it answered.
 * `-- --scores` or `-- --operations` does the one or the other.
 */
const both = !process.argv.includes('--scores') && !process.argv.includes('--operations');
const pages = [
  '',
  'keys',
  'usage',
  'playground',
  'jobs',
  'gallery',
  'webhooks',
  'audit',
  'admin/users',
  'admin/queues',
  'admin/audit',
];
const categories = ['performance', 'accessibility', 'best-practices', 'seo'];
const noReaper = { watch() {}, discard: async () => {} };

await using standIns = await startStandIns();
const service = await startService({ env: { NODE_ENV: 'production', SIGNUP: 'open', ...standIns.env } });
const dataFolder = join(service.home, 'chromium');
await mkdir(dataFolder, { recursive: true });
await using door = createEgressDoor({ allow: ['127.0.0.0/8'] });
await using lease = door.openLease({ byteBudget: 1024 ** 3 });
const parts = await prepareChromium({ dataFolder, log: silentLog });
const chromium = await LaunchedChromium.launch({
  ...parts,
  sandbox: process.getuid?.() !== 0,
  reaper: noReaper,
  hearsConsole: true,
});

const [email, password] = ['bench@quarry.test', 'bench-console-1'];

async function createAdmin({ admin }: Service): Promise<void> {
  await admin('user', 'create', '--email', email, '--password', password, '--admin');
  await admin('license', 'grant', '--email', email, '--plan', 'pro');
}

/** By the page itself, so that its own cookies are those of a session. @throws Error where it shows no page of the console. */
async function signIn(page: Page, { url }: Service): Promise<void> {
  await page.goto(url);
  await page.evaluate(async (body) => {
    const headers = { 'Content-Type': 'application/json' };
    await fetch('/api/auth/sign-in/email', { method: 'POST', headers, body });
  }, JSON.stringify({ email, password }));
  await page.reload();
  await page.waitForSelector('nav a[aria-current=page]');
}

/** Bytes of scripts that an address brings, as they cross the wire. */
async function weighScripts(page: Page, address: string): Promise<number> {
  await page.goto(address, { waitUntil: 'networkidle0' });
  return await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.js'))
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
  );
}

/** A key, a picture in the gallery and a review, so that the pages have something to show. */
async function makeContent(page: Page): Promise<{ jobId: string; userId: string }> {
  const url = `${standIns.site.origin}/article`;
  return await page.evaluate(async (target) => {
    const ask = async <Body>(path: string, key = '', body?: object): Promise<Body> => {
      const headers = { 'Content-Type': 'application/json', ...(key === '' ? {} : { 'X-API-Key': key }) };
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      return (await (await fetch(path, { headers, ...sent })).json()) as Body;
    };
    const { key } = await ask<{ key: string }>('/api/keys', '', { name: 'laptop' });
    await ask('/api/proxy/web/v1/screenshot', key, { url: target });
    type Review = { data: { reviewId: string } };
    const review = await ask<Review>('/api/proxy/web/v1/review', key, { url: target });
    const { users } = await ask<{ users: { id: string }[] }>('/api/admin/users');
    return { jobId: review.data.reviewId, userId: users[0]?.id ?? '' };
  }, url);
}

async function scorePages(page: Page): Promise<void> {
  const name = (route: string) =>
    (route === '' ? 'overview' : route.replace(/[\da-f]{8}-.*/, '…')).padEnd(14);
  const address = (route: string) => new URL(`/#/${route}`, service.url).href;
  console.log(`by Lighthouse: ${categories.join(', ')}`);
  console.log(`phone    ${name('sign-in')} ${(await scoresOf(page, service.url)).join(' ')}`);
  await signIn(page, service);
  // Of a job and of a user, which have an id each.
  const { jobId, userId } = await makeContent(page);
  const all = [...pages, `jobs/${jobId}`, `admin/users/${userId}`];
  for (const device of ['phone', 'desktop'])
    for (const route of all) {
      const scores = await scoresOf(page, address(route), device === 'phone' ? undefined : desktopConfig);
      console.log(`${device.padEnd(8)} ${name(route)} ${scores.join(' ')}`);
    }
}

async function scoresOf(page: Page, address: string, config?: typeof desktopConfig): Promise<number[]> {
  const flags = { onlyCategories: categories, disableStorageReset: true, logLevel: 'silent' as const };
  const result = await lighthouse(address, { ...flags, disableFullPageScreenshot: true }, config, page);
  const audits = Object.values(result?.lhr.audits ?? {});
  const scores = categories.map((id) => Math.round(100 * (result?.lhr.categories[id]?.score ?? 0)));
  if (scores.some((score) => score < 95)) {
    const failed = audits.filter(({ score }) => score !== null && score < 0.9);
    console.log(
      `  ${address}: ${failed.map(({ id, displayValue }) => `${id} ${displayValue ?? ''}`).join('; ')}`,
    );
  }
  return scores;
}

try {
  // A clone whose sources are newer than what `npm ci` has built builds the console again beside the start.
  while ((await fetch(service.url)).status === 503) await new Promise((resolve) => setTimeout(resolve, 250));
  const proxy = await lease.openProxy();
  const { page } = await openBlankPage(chromium, proxy);
  const bytes = await weighScripts(page, service.url);
  console.log(`scripts of the first page: ${(bytes / 1_000).toFixed(1)} kB compressed`);
  await createAdmin(service);
  if (both || process.argv.includes('--scores')) await scorePages(page);
  if (both || process.argv.includes('--operations')) {
    const { page: tab } = await openBlankPage(chromium, proxy);
    await signIn(tab, service);
    await clickThrough(tab, service, standIns, { email, password });
  }
} finally {
  await chromium.kill();
  await service.stop();
}
