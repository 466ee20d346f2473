import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createEgressDoor } from '../src/shared/egress/door.ts';
import { prepareChromium } from '../src/workers/browser/chromium-parts.ts';
import { silentLog } from '../src/workers/browser/log.ts';
import { readProcessMemory, readProcessTree } from '../src/shared/processes/process-tree.ts';
import { pidOf } from '../test/support/processes.ts';
import { type Service, startService } from '../test/support/service.ts';
import { startSite } from '../test/support/site.ts';
import type { BareRun } from './bare-lighthouse.ts';
import { median, timeOf } from './measure.ts';
import { tellFigure } from './figures.ts';

/**
 * `npm run bench:reviews -- --pairs 5 --medians 3 --reviews 20`, each of which may be 0: a review against a bare
 * Lighthouse run of the same categories with the same Chromium, in turns; the same page in reviews of three runs, and
 * how far their medians lie apart, and how far single runs; pages that hang or take memory, each followed by a good one;
 * memory and processes after many reviews.
 */
const pairs = readCount('--pairs', 5);
const medians = readCount('--medians', 3);
const reviews = readCount('--reviews', 20);
const runsEach = 3;

const site = await startSite();
const service = await startService({ env: { NODE_ENV: 'production' } });
const dataFolder = join(service.home, 'chromium');
await mkdir(dataFolder, { recursive: true });
await using door = createEgressDoor({ allow: ['127.0.0.0/8'] });
const parts = await prepareChromium({ dataFolder, log: silentLog });

/** A process that loads Lighthouse, a start of Chromium, one run, its end. */
async function bareRun(url: string): Promise<void> {
  await using lease = door.openLease();
  const proxy = await lease.openProxy();
  const child = fork(join(import.meta.dirname, 'bare-lighthouse.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(service.home, 'compile-cache') },
  });
  let score: unknown;
  child.once('message', (told) => (score = told));
  child.send({ url, proxy, parts } satisfies BareRun);
  await once(child, 'exit');
  if (typeof score !== 'number') throw new Error('The bare run gave no score');
}

interface Answer {
  data?: { scores: { performance: number }; metrics: Figures; runs: { scores: Figures; metrics: Figures }[] };
  code?: string;
}
type Figures = Record<string, number>;

async function review(url: string, options: Record<string, unknown> = {}): Promise<Answer> {
  const response = await fetch(new URL('/api/proxy/web/v1/review', service.url), {
    method: 'POST',
    headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url, ...options }),
  });
  const body = (await response.json()) as Answer & { data: { id?: string } };
  // It takes longer than a request waits.
  if (response.status !== 202) return body;
  const id = body.data.id ?? '';
  for (;;) {
    const answer = await fetch(new URL(`/api/proxy/jobs/${id}`, service.url), {
      headers: { 'X-API-Key': service.key, Prefer: 'wait=100' },
    });
    const { data } = (await answer.json()) as { data: { status: string; result?: Answer['data'] } };
    if (data.status === 'failed') throw new Error(`Review ${id} failed`);
    if (data.status === 'succeeded') return { data: data.result } as Answer;
  }
}

/** The service with everything that it runs, and the process of the reviews alone. */
function readTree({ process: { pid = 0 }, home }: Service) {
  const tree = readProcessTree(pid);
  const worker = readProcessMemory(pidOf({ home }, 'worker-browser')) ?? 0;
  const megabytes = (bytes: number) => Math.round(bytes / 1024 ** 2);
  return {
    processes: tree.length,
    megabytes: megabytes(tree.reduce((sum, one) => sum + one.bytes, 0)),
    workerMegabytes: megabytes(worker),
  };
}

async function compareWithBare(url: string): Promise<void> {
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
}

/** Its server answers sooner or later, and its script takes a while: a run comes out a little different each time. */
async function startUnsteadySite(): Promise<{ url: string; close(): void }> {
  const page = `<!doctype html><html lang="en"><title>Unsteady</title><link rel="stylesheet" href="/a.css"><h1>A page</h1>
    ${'<p>Some text that is read.</p>'.repeat(200)}<script src="/a.js"></script></html>`;
  const script = `const list = [];
    for (let part = 0; part < 8; part++) setTimeout(() => {
      for (let n = 0; n < 3e5; n++) list.push(String(n * part));
      list.sort(); list.length = 0;
    }, part * 40);`;
  const server = createServer(({ url }, response) => {
    const [type, body] =
      url === '/a.css'
        ? ['text/css', 'p { margin: 1em }']
        : url === '/a.js'
          ? ['text/javascript', script]
          : ['text/html', page];
    setTimeout(() => response.writeHead(200, { 'content-type': type }).end(body), 50 + Math.random() * 750);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

const rangeOf = (values: readonly number[]) => Math.max(...values) - Math.min(...values);
function deviationOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

async function compareMedians(): Promise<void> {
  const unsteady = await startUnsteadySite();
  const answers: NonNullable<Answer['data']>[] = [];
  for (let count = 0; count < medians; count++) {
    const { data } = await review(unsteady.url, { runs: runsEach, categories: ['performance'] });
    if (data !== undefined) answers.push(data);
  }
  unsteady.close();
  const singles = answers.flatMap(({ runs }) => runs);
  console.log(`the same page in ${answers.length} reviews of ${runsEach} runs`);
  for (const [kind, name] of [
    ['scores', 'performance'],
    ['metrics', 'lcpMs'],
    ['metrics', 'fcpMs'],
    ['metrics', 'tbtMs'],
    ['metrics', 'speedIndexMs'],
  ] as const) {
    const tell = (what: string, values: number[]) =>
      console.log(
        `  ${name.padEnd(12)} ${what}  range ${rangeOf(values).toFixed(0)}, deviation ${deviationOf(values).toFixed(1)}: ${values.join(', ')}`,
      );
    tell(
      'medians',
      answers.map((answer) => (answer[kind] as Figures)[name] ?? NaN),
    );
    tell(
      'runs   ',
      singles.map((run) => run[kind][name] ?? NaN),
    );
  }
}

async function reviewBadPages(): Promise<void> {
  for (const path of ['/endless-script', '/memory-hog', '/article']) {
    let told = '';
    const ms = await timeOf(async () => {
      const { code, data } = await review(site.origin + path, { timeout: 5_000 });
      told = code ?? `performance ${data?.scores.performance}`;
    });
    console.log(`  ${path}: ${told} after ${(ms / 1_000).toFixed(1)} s`);
  }
}

async function reviewMany(url: string): Promise<void> {
  const before = readTree(service);
  for (let count = 0; count < reviews; count++) await review(url);
  const after = readTree(service);
  const change = (name: keyof typeof before, unit: string) => `${before[name]} → ${after[name]} ${unit}`;
  console.log(
    `${reviews} reviews: ${change('processes', 'processes')}, ${change('megabytes', 'MB in all of them')}, ` +
      `${change('workerMegabytes', 'MB in the worker')}`,
  );
}

try {
  const url = `${site.origin}/article`;
  await review(url);
  if (pairs > 0) await compareWithBare(url);
  if (medians > 0) await compareMedians();
  await reviewBadPages();
  if (reviews > 0) await reviewMany(url);
} finally {
  await service.stop();
  await site.close();
}

function readCount(name: string, fallback: number): number {
  const at = process.argv.indexOf(name);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
}
