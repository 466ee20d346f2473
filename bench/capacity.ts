import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { commandLine } from '../src/embedded/processes.ts';
import { readProcessTree } from '../src/shared/processes/process-tree.ts';
import { environmentOf, pidOfStore } from '../test/support/processes.ts';
import { startService } from '../test/support/service.ts';
import { startSite } from '../test/support/site.ts';
import { villageSite } from '../test/support/site/villages.ts';
import { post } from './request.ts';

/**
 * What one job of each kind costs: seconds of CPU by part of the service, memory at its greatest beyond that at rest,
 * statements and bytes that Postgres writes, commands of Redis. It is the base of docs/capacity.md. CPU time and counts
 * hardly hang on what else the machine does. `-- scrape` measures the kinds whose names begin so.
 */
const kinds: readonly {
  name: string;
  jobs: number;
  atOnce: number;
  path: string;
  body(at: number): object;
}[] = [
  { name: 'no-op job', jobs: 3_000, atOnce: 32, path: '/api/proxy/test/v1/noop', body: () => ({}) },
  { name: 'is-alive', jobs: 600, atOnce: 16, path: web('url/is-alive'), body: page },
  { name: 'scrape, plain HTTP', jobs: 600, atOnce: 16, path: web('scrape'), body: plain },
  { name: 'extract, plain HTTP', jobs: 300, atOnce: 8, path: web('extract'), body: plain },
  { name: 'markdown, plain HTTP', jobs: 300, atOnce: 8, path: web('convert/markdown'), body: plain },
  { name: 'summary, built-in model', jobs: 200, atOnce: 8, path: web('summarize/url'), body: plain },
  { name: 'links map of 7 pages', jobs: 40, atOnce: 4, path: web('scrape/links-map'), body: villages },
  { name: 'scrape, Chromium', jobs: 100, atOnce: 4, path: web('scrape'), body: rendered },
  { name: 'screenshot', jobs: 100, atOnce: 4, path: web('screenshot'), body: page },
  { name: 'review', jobs: 4, atOnce: 1, path: web('review'), body: villages },
];
function web(call: string): string {
  return `/api/proxy/web/v1/${call}`;
}
/** Each job another page, so that no copy of one is answered. */
function page(at: number): object {
  return { url: `${site.origin}/villages/alto?n=${at}` };
}
function plain(at: number): object {
  return { ...page(at), render: 'http' };
}
function rendered(at: number): object {
  return { ...page(at), render: 'browser' };
}
function villages(at: number): object {
  return { url: `${site.origin}/villages?n=${at}` };
}

const parts = ['API', 'workers', 'tasks', 'Chromium', 'Postgres', 'Redis'] as const;
type Part = (typeof parts)[number];

function partOf(pid: number): Part | null {
  const command = commandLine(pid).replaceAll('\0', ' ');
  if (/src\/api\/main/.test(command)) return 'API';
  if (/src\/workers\/main/.test(command)) return 'workers';
  if (/--type=|quarry-chromium-|chrome-headless|lighthouse/.test(command)) return 'Chromium';
  if (/src\/workers\//.test(command)) return 'tasks';
  if (/postgres/.test(command)) return 'Postgres';
  return /redis|valkey/.test(command) ? 'Redis' : null;
}

/** Seconds of CPU that a process has used. */
function secondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    // It has ended.
    return 0;
  }
}

const site = await startSite();
for (const [path, html] of Object.entries(villageSite)) site.serve(path, html);
const service = await startService({
  env: {
    NODE_ENV: 'production',
    EXTENSIONS: join(import.meta.dirname, '../test/support/operations'),
    PLANS: JSON.stringify({ scale: { rateLimit: 1_000_000, maxConcurrentJobs: 64, maxKeys: 50 } }),
  },
});
const { DATABASE_URL: databaseUrl = '', REDIS_URL: redisUrl = '' } = environmentOf(service);
const roots = [service.process.pid ?? 0, pidOfStore(service, 'postgres')];
const processes = () => roots.flatMap((root) => readProcessTree(root));

/** What each process has used when it was last seen: many end before they are asked again. */
const used = new Map<number, { part: Part; seconds: number }>();

/** @returns bytes of memory of all. */
function sampleProcesses(): number {
  let memory = 0;
  for (const { pid, bytes } of processes()) {
    memory += bytes;
    const part = used.get(pid)?.part ?? partOf(pid);
    if (part !== null)
      used.set(pid, { part, seconds: Math.max(secondsOf(pid), used.get(pid)?.seconds ?? 0) });
  }
  return memory;
}

function readCpu(): Record<Part, number> {
  sampleProcesses();
  const cpu = Object.fromEntries(parts.map((part) => [part, 0])) as Record<Part, number>;
  for (const { part, seconds } of used.values()) cpu[part] += seconds;
  return cpu;
}

async function readStores() {
  const { rows } = await database.query<{ wal: string; rows: string; commits: string }>(
    `select pg_current_wal_insert_lsn() - '0/0' as wal, tup_inserted + tup_updated + tup_deleted as rows,
            xact_commit as commits
       from pg_stat_database where datname = current_database()`,
  );
  const commands = /total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1];
  const { wal = '0', rows: written = '0', commits = '0' } = rows[0] ?? {};
  return {
    wal: Number(wal),
    rows: Number(written),
    commits: Number(commits),
    commands: Number(commands ?? NaN),
  };
}

interface Costs extends Awaited<ReturnType<typeof readStores>> {
  cpu: Record<Part, number>;
  seconds: number;
  /** The greatest, in bytes. */
  memory: number;
}

/** What the service uses while `work` goes on, and until Postgres has told of it. */
async function costsOf(work: () => Promise<unknown>): Promise<Costs> {
  const [cpu, stores, start] = [readCpu(), await readStores(), performance.now()];
  let memory = 0;
  const timer = setInterval(() => (memory = Math.max(memory, sampleProcesses())), 100);
  await work();
  await sleep(3_000);
  clearInterval(timer);
  const [cpuAfter, after] = [readCpu(), await readStores()];
  return {
    cpu: Object.fromEntries(parts.map((part) => [part, cpuAfter[part] - cpu[part]])) as Record<Part, number>,
    wal: after.wal - stores.wal,
    rows: after.rows - stores.rows,
    commits: after.commits - stores.commits,
    commands: after.commands - stores.commands,
    seconds: (performance.now() - start) / 1_000,
    memory,
  };
}

async function run({ jobs, atOnce, path, body }: (typeof kinds)[number], first: number): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < jobs) await post(service, path, body(first + next++), { Prefer: 'wait=110' });
    }),
  );
}

const database = new pg.Pool({ connectionString: databaseUrl, max: 1 });
const redis = new Redis(redisUrl);
try {
  const heads = [...parts, 'all', 'memory', 'rows', 'commits', 'WAL kB', 'Redis'];
  const tell = (name: string, figures: readonly number[]) =>
    console.log(name.padEnd(26) + figures.map((figure) => figure.toFixed(1).padStart(9)).join(''));
  console.log(`of one job, on ${service.redis}; CPU in milliseconds, memory of all in flight in MB`);
  console.log('kind'.padEnd(26) + heads.map((head) => head.padStart(9)).join(''));
  for (const kind of kinds.filter(({ name }) => name.startsWith(process.argv[2] ?? ''))) {
    // Until code is compiled, and processes are started, which cost once.
    await run({ ...kind, jobs: Math.min(kind.jobs, 4 * kind.atOnce) }, 1_000_000);
    await sleep(3_000);
    const rest = await costsOf(() => sleep(7_000));
    const costs = await costsOf(() => run(kind, 0));
    /** Without what it uses at rest in that time. */
    const each = (total: number, atRest: number) =>
      Math.max(0, total - (atRest * costs.seconds) / rest.seconds) / kind.jobs;
    const cpu = parts.map((part) => 1_000 * each(costs.cpu[part], rest.cpu[part]));
    tell(kind.name, [
      ...cpu,
      cpu.reduce((sum, ms) => sum + ms, 0),
      (costs.memory - rest.memory) / 1024 ** 2,
      each(costs.rows, rest.rows),
      each(costs.commits, rest.commits),
      each(costs.wal, rest.wal) / 1024,
      each(costs.commands, rest.commands),
    ]);
  }
} finally {
  redis.disconnect();
  await database.end();
  await service.stop();
  await site.close();
}
