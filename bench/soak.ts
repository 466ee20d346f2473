import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { readProcessTree } from '../src/shared/processes/process-tree.ts';
import { startService } from '../test/support/service.ts';
import { startSite } from '../test/support/site.ts';
import { median } from './measure.ts';

/**
 * `npm run soak -- --shots 1000 --warm-up 200`: mixed screenshots in a row through a whole service, four at a
 * time, after some that are not measured. Fails when memory has grown by more than a tenth between the first and
 * the last hundred, when a screenshot comes out wrong, or when a process or a profile is left once the service
 * has stopped.
 */
const shots = readCount('--shots', 1_000);
/** They load the handlers' code, and let V8's heaps find their size, which they do lazily. */
const warmUpShots = readCount('--warm-up', 200);
const concurrency = 4;
const window = Math.min(100, Math.floor(shots / 4));

/** Megabytes. */
interface Memory {
  ours: number;
  chromium: number;
}

const requests: { body: Record<string, unknown>; status: number }[] = [
  { body: { path: '/article' }, status: 200 },
  { body: { path: '/lazy-images', fullPage: true, format: 'webp' }, status: 200 },
  { body: { path: '/app-fetching', format: 'jpeg' }, status: 200 },
  { body: { path: '/elements', selector: '#card', deviceScaleFactor: 2 }, status: 200 },
  { body: { path: '/known-banner' }, status: 200 },
  { body: { path: '/scripts', darkMode: true }, status: 200 },
  { body: { path: '/article', format: 'pdf' }, status: 200 },
  { body: { path: '/article', device: 'Pixel 5', locale: 'fr-FR', timeZone: 'Europe/Paris' }, status: 200 },
  { body: { path: '/tall', fullPage: true, maxHeight: 4_000 }, status: 200 },
  { body: { path: '/attachment' }, status: 422 },
  { body: { path: '/endless-script', timeout: 1_000 }, status: 504 },
  { body: { path: '/status?code=404' }, status: 200 },
];

const site = await startSite();
const service = await startService({ env: { NODE_ENV: 'production' } });
const pid = service.process.pid ?? 0;
const samples: Memory[] = [];
/** Of the service, for the names of their profiles. */
const nodes = new Set<number>();
const wrong: string[] = [];

async function shoot(index: number): Promise<void> {
  const request = requests[index % requests.length];
  if (!request) return;
  const { path, ...options } = request.body;
  const response = await fetch(new URL('/api/proxy/web/v1/screenshot', service.url), {
    method: 'POST',
    headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: `${site.origin}${String(path)}`, ...options }),
  });
  const text = await response.text();
  if (response.status !== request.status)
    wrong.push(`${String(path)}: ${response.status} ${text.slice(0, 200)}`);
}

/**
 * Megabytes that the workers, the API and Chromium hold. The databases are left out: their processes show the
 * same shared buffers each, and fill them up as they should.
 */
function readMemory(): Memory {
  const megabytes = { ours: 0, chromium: 0 };
  for (const { pid: one, bytes } of readProcessTree(pid)) {
    const program = programOf(one);
    if (program === 'chromium') megabytes.chromium += bytes / 1024 ** 2;
    if (program === 'node') {
      megabytes.ours += bytes / 1024 ** 2;
      nodes.add(one);
    }
  }
  return megabytes;
}

async function shootAll(count: number, afterEach: (done: number) => void): Promise<void> {
  let next = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < count) {
        await shoot(next++);
        afterEach(++done);
      }
    }),
  );
}

const atRest = readMemory();
await shootAll(warmUpShots, () => {});
const startedAt = performance.now();
await shootAll(shots, (done) => {
  samples.push(readMemory());
  if (done % 100 === 0) console.log(`  shots ${done - 99} to ${done}: ${tell(samples.slice(-100))}`);
});
const seconds = (performance.now() - startedAt) / 1_000;
const chromiums = readProcessTree(pid)
  .map((one) => one.pid)
  .filter((one) => programOf(one) === 'chromium');
await service.stop();
await site.close();
await sleep(2_000);

const leftProcesses = chromiums.filter(isRunning);
const leftProfiles = listProfiles().filter((name) => nodes.has(Number(name.split('-')[2])));
console.log(
  `${shots} mixed screenshots in ${seconds.toFixed(0)} s (${(shots / seconds).toFixed(1)}/s), ${wrong.length} wrong`,
);
const last = samples.slice(-window);
const growth = growthSince(samples.slice(0, window));
console.log(`memory: ${tell([atRest])} at rest, before ${warmUpShots} shots that are not measured`);
console.log(`  first ${window}: ${tell(samples.slice(0, window))}`);
console.log(`  last ${window}: ${tell(last)}`);
console.log(
  `  the last against the first ${percent(growth)}, against the second ${percent(growthSince(samples.slice(window, 2 * window)))}`,
);
console.log(`left over: ${leftProcesses.length} Chromium processes, ${leftProfiles.length} profiles`);
for (const line of wrong.slice(0, 10)) console.error(line);
process.exit(growth <= 0.1 && wrong.length === 0 && leftProcesses.length + leftProfiles.length === 0 ? 0 : 1);

function readCount(option: string, standard: number): number {
  const at = process.argv.indexOf(option);
  return at < 0 ? standard : Number(process.argv[at + 1]);
}

/** Medians; that of the whole is not the sum of the others. */
function tell(some: readonly Memory[]): string {
  const [ours, chromium] = [median(some.map((one) => one.ours)), median(some.map((one) => one.chromium))];
  return `${totalOf(some).toFixed(0)} MB (service ${ours.toFixed(0)}, Chromium ${chromium.toFixed(0)})`;
}

function totalOf(some: readonly Memory[]): number {
  return median(some.map(({ ours, chromium }) => ours + chromium));
}

function growthSince(earlier: readonly Memory[]): number {
  return totalOf(last) / totalOf(earlier) - 1;
}

function percent(growthRatio: number): string {
  return `${(growthRatio * 100).toFixed(1)} %`;
}

function listProfiles(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('quarry-chromium-'));
}

function programOf(processId: number): 'chromium' | 'node' | 'other' {
  try {
    const command = readFileSync(`/proc/${processId}/cmdline`, 'latin1');
    if (/--type=|quarry-chromium-/.test(command)) return 'chromium';
    return /src\/(embedded\/main|workers\/main|api\/main)\.ts/.test(command) ? 'node' : 'other';
  } catch {
    return 'other';
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}
