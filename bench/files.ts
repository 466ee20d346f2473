import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pidOf } from '../test/support/processes.ts';
import { startS3Server } from '../test/support/s3-server.ts';
import { type Service, startService } from '../test/support/service.ts';
import { tellFigure } from './figures.ts';

/**
 * A file that a job writes and a client reads in ranges: how fast, and by how much the memory of worker and API
 * grows. `node bench/files.ts [MB] [postgres|s3]`, 1024 MB on both where nothing is said.
 */
const sizeMb = Number(process.argv[2] ?? 1_024);
const only = process.argv[3];
const megabyte = 1024 * 1024;
const rangeBytes = 16 * megabyte;

/** Of a process, in MB. */
function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}

interface Watch extends Disposable {
  /** MB by which it was above its start at most. */
  growth(): number;
}

function watchMemory(pid: number): Watch {
  const before = memoryOf(pid);
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, memoryOf(pid))), 50);
  return { growth: () => most - before, [Symbol.dispose]: () => clearInterval(timer) };
}

async function write(service: Service, sizesBytes: number[]): Promise<string> {
  const response = await fetch(`${service.url}/api/proxy/test/v1/files`, {
    method: 'POST',
    headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json', Prefer: 'respond-async' },
    body: JSON.stringify({ sizesBytes, check: false }),
  });
  return new URL(response.headers.get('location') ?? '', service.url).href;
}

interface Job {
  status: string;
  error?: unknown;
  files: { url: string; bytes: number; sha256: string }[];
}

async function untilEnded(service: Service, job: string): Promise<Job['files'][number]> {
  for (;;) {
    const response = await fetch(job, { headers: { 'X-API-Key': service.key } });
    const { data } = (await response.json()) as { data: Job };
    const [file] = data.files;
    if (file !== undefined) return file;
    if (data.status !== 'queued' && data.status !== 'running') throw new Error(JSON.stringify(data));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function readInRanges({ url, bytes, sha256 }: Job['files'][number]): Promise<void> {
  const hash = createHash('sha256');
  for (let start = 0; start < bytes; start += rangeBytes) {
    const end = Math.min(bytes, start + rangeBytes) - 1;
    const response = await fetch(url, { headers: { Range: `bytes=${start}-${end}` } });
    if (response.status !== 206 || response.body === null) throw new Error(`Status ${response.status}`);
    for await (const part of response.body) hash.update(part as Uint8Array);
  }
  if (hash.digest('hex') !== sha256) throw new Error('What was read is not what was written');
}

async function measure(name: string, env: Record<string, string>): Promise<void> {
  const EXTENSIONS = join(import.meta.dirname, '../test/support/operations');
  const service = await startService({ env: { NODE_ENV: 'production', EXTENSIONS, ...env } });
  try {
    // What is loaded and compiled with the first file is not of its size.
    await readInRanges(await untilEnded(service, await write(service, [20 * megabyte])));
    using worker = watchMemory(pidOf(service, 'worker-http'));
    using api = watchMemory(pidOf(service, 'api'));
    const start = performance.now();
    const file = await untilEnded(service, await write(service, [sizeMb * megabyte]));
    const written = performance.now();
    await readInRanges(file);
    const read = performance.now();
    const rate = (ms: number) => `${((sizeMb * 1_000) / ms).toFixed(0)} MB/s`;
    tellFigure({ what: `${name}, written`, value: (sizeMb * 1_000) / (written - start), unit: 'MB/s' });
    tellFigure({ what: `${name}, read`, value: (sizeMb * 1_000) / (read - written), unit: 'MB/s' });
    console.log(
      `${name.padEnd(9)} ${sizeMb} MB  written ${rate(written - start)}  read ${rate(read - written)}  ` +
        `worker +${worker.growth().toFixed(0)} MB  api +${api.growth().toFixed(0)} MB`,
    );
  } finally {
    await service.stop();
  }
}

if (only !== 's3') await measure('Postgres', {});
if (only !== 'postgres') {
  await using s3 = await startS3Server();
  await measure('S3', s3.env);
}
