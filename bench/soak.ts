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

const site = await startSite();
const service = await startService({ env: { NODE_ENV: 'production' } });
const pid = service.process.pid ?? 0;
const samples: { ours: number; chromium: number }[] = [];
/** Of the service, for the names of their profiles. */
const nodes = new Set<number>();
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

/**
 * Megabytes that the workers, the API and Chromium hold. The databases are left out: their processes show the
 * same shared buffers each, and fill them up as they should.
 */
function readMemory(): { ours: number; chromium: number } {
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

let next = 0;
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (next < shots) {
      const index = next++;
      await shoot(index);
      samples.push(readMemory());
      if (index % 100 === 99) {
        const { ours, chromium } = samples.at(-1) ?? { ours: NaN, chromium: NaN };
        console.log(
          `  ${index + 1} shots: service ${ours.toFixed(0)} MB, Chromium ${chromium.toFixed(0)} MB`,
        );
      }
    }
  }),
);
const seconds = (performance.now() - startedAt) / 1_000;
const chromiums = readProcessTree(pid)
  .map((one) => one.pid)
  .filter((one) => programOf(one) === 'chromium');
await service.stop();
await site.close();
await sleep(2_000);

const total = ({ ours, chromium }: { ours: number; chromium: number }): number => ours + chromium;
// The first shots warm caches up that are bounded.
const first = median(samples.slice(window, 2 * window).map(total));
const last = median(samples.slice(-window).map(total));
const leftProcesses = chromiums.filter(isRunning);
const leftProfiles = listProfiles().filter((name) => nodes.has(Number(name.split('-')[2])));
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
