import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createEgressDoor } from '../src/shared/egress/door.ts';
import { prepareChromium } from '../src/workers/browser/chromium-parts.ts';
import { silentLog } from '../src/workers/browser/log.ts';
import { readProcessTree } from '../src/workers/processes/process-tree.ts';
import { type Service, startService } from '../test/support/service.ts';
import { startSite } from '../test/support/site.ts';
import type { BareRun } from './bare-lighthouse.ts';
import { median, timeOf } from './measure.ts';
import { tellFigure } from './figures.ts';

/**
 * `npm run bench:reviews -- --pairs 5 --reviews 20`: a review against a bare Lighthouse run of the same categories with
 * the same Chromium, in turns; pages that hang or take memory, each followed by a good one; memory and processes after
 * many reviews.
 */
const pairs = readCount('--pairs', 5);
const reviews = readCount('--reviews', 20);

const site = await startSite();
const service = await startService({ env: { NODE_ENV: 'production' } });
const dataFolder = join(service.home, 'chromium');
await mkdir(dataFolder, { recursive: true });
await using door = createEgressDoor({ allow: ['127.0.0.0/8'] });
const parts = await prepareChromium({ dataFolder, log: silentLog });

/** A process that loads Lighthouse, a start of Chromium, one run, its end. */
async function bareRun(url: string): Promise<void> {
  await using lease = door.openLease();
  const { url: proxyUrl } = await lease.openProxy();
  const child = fork(join(import.meta.dirname, 'bare-lighthouse.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(service.home, 'compile-cache') },
  });
  let score: unknown;
  child.once('message', (told) => (score = told));
  child.send({ url, proxyUrl, parts } satisfies BareRun);
  await once(child, 'exit');
  if (typeof score !== 'number') throw new Error('The bare run gave no score');
}

async function review(url: string, options: Record<string, unknown> = {}) {
  const response = await fetch(new URL('/api/proxy/web/v1/review', service.url), {
    method: 'POST',
    headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url, ...options }),
  });
  return (await response.json()) as { data?: { scores?: { performance: number } }; code?: string };
}

function readTree({ process: { pid = 0 } }: Service): { processes: number; megabytes: number } {
  const tree = readProcessTree(pid);
  const bytes = tree.reduce((sum, one) => sum + one.bytes, 0);
  return { processes: tree.length, megabytes: Math.round(bytes / 1024 ** 2) };
}

try {
  const url = `${site.origin}/article`;
  await review(url);
  await bareRun(url);
  const times: { bare: number[]; ours: number[] } = { bare: [], ours: [] };
  for (let pair = 0; pair < pairs; pair++) {
    times.bare.push(await timeOf(() => bareRun(url)));
    times.ours.push(await timeOf(() => review(url)));
  }
  const [bare, ours] = [median(times.bare), median(times.ours)];
  tellFigure({ what: 'a review', value: ours / 1_000, unit: 's', baseline: bare / 1_000 });
  console.log(`a review, median of ${pairs} in turns`);
  console.log(`  bare Lighthouse  ${(bare / 1_000).toFixed(1)} s`);
  console.log(`  review           ${(ours / 1_000).toFixed(1)} s   ${(ours / bare).toFixed(2)} of bare`);

  for (const path of ['/endless-script', '/memory-hog', '/article']) {
    let told = '';
    const ms = await timeOf(async () => {
      const { code, data } = await review(site.origin + path, { timeout: 5_000 });
      told = code ?? `performance ${data?.scores?.performance}`;
    });
    console.log(`  ${path}: ${told} after ${(ms / 1_000).toFixed(1)} s`);
  }

  const before = readTree(service);
  for (let count = 0; count < reviews; count++) await review(url);
  const after = readTree(service);
  console.log(
    `${reviews} reviews: ${before.processes} → ${after.processes} processes, ${before.megabytes} → ${after.megabytes} MB`,
  );
} finally {
  await service.stop();
  await site.close();
}

function readCount(name: string, fallback: number): number {
  const at = process.argv.indexOf(name);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
}
