import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { readProcessTree } from '../src/workers/browser/process-tree.ts';
import { startService } from '../test/support/service.ts';
import { startSite } from '../test/support/site.ts';
import { median } from './measure.ts';

/**
 * `npm run soak -- --shots 1000`: mixed screenshots in a row through a whole service, four at a time. Fails when
 * memory has grown by more than a tenth between the first and the last hundred, when a screenshot comes out
 * wrong, or when a process or a profile is left once the service has stopped.
 */
const shots = Number(process.argv[process.argv.indexOf('--shots') + 1]) || 1_000;
const concurrency = 4;
const window = Math.min(100, Math.floor(shots / 4));

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

const profilesBefore = listProfiles();
const site = await startSite();
const service = await startService({ env: { NODE_ENV: 'production' } });
const pid = service.process.pid ?? 0;
const samples: { workers: number; chromium: number }[] = [];
const wrong: string[] = [];
const startedAt = performance.now();

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

/** Megabytes of the service's own processes, and of Chromium's. */
function readMemory(): { workers: number; chromium: number } {
  const megabytes = { workers: 0, chromium: 0 };
  for (const { pid: one, bytes } of readProcessTree(pid))
    megabytes[isChromium(one) ? 'chromium' : 'workers'] += bytes / 1024 ** 2;
  return megabytes;
}

let next = 0;
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (next < shots) {
      const index = next++;
      await shoot(index);
      samples.push(readMemory());
      if (index % 100 === 99) {
        const { workers, chromium } = samples.at(-1) ?? { workers: NaN, chromium: NaN };
        console.log(
          `  ${index + 1} shots: service ${workers.toFixed(0)} MB, Chromium ${chromium.toFixed(0)} MB`,
        );
      }
    }
  }),
);
const seconds = (performance.now() - startedAt) / 1_000;
const chromiums = readProcessTree(pid)
  .map((one) => one.pid)
  .filter(isChromium);
await service.stop();
await site.close();
await sleep(2_000);

const total = ({ workers, chromium }: { workers: number; chromium: number }): number => workers + chromium;
// The first shots warm caches up that are bounded.
const first = median(samples.slice(window, 2 * window).map(total));
const last = median(samples.slice(-window).map(total));
const leftProcesses = chromiums.filter(isRunning);
const leftProfiles = listProfiles().filter((name) => !profilesBefore.includes(name));
console.log(
  `${shots} mixed screenshots in ${seconds.toFixed(0)} s (${(shots / seconds).toFixed(1)}/s), ${wrong.length} wrong`,
);
console.log(
  `memory: ${first.toFixed(0)} MB (shots ${window + 1} to ${2 * window}), ${last.toFixed(0)} MB (the last ${window}): ${((last / first - 1) * 100).toFixed(1)} %`,
);
console.log(`left over: ${leftProcesses.length} Chromium processes, ${leftProfiles.length} profiles`);
for (const line of wrong.slice(0, 10)) console.error(line);
const isFlat = last <= first * 1.1;
process.exit(isFlat && wrong.length === 0 && leftProcesses.length + leftProfiles.length === 0 ? 0 : 1);

function listProfiles(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('quarry-chromium-'));
}

function isChromium(processId: number): boolean {
  try {
    return readFileSync(`/proc/${processId}/cmdline`, 'latin1').includes('quarry-chromium-');
  } catch {
    return false;
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
