import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiProcess, startApiCluster } from '../test/support/api-cluster.ts';
import { type FeedClient, type FeedMessage, openStream, openWebSocket } from '../test/support/feed-client.ts';
import { quantile } from './measure.ts';
import { tellFigure } from './figures.ts';

/**
 * `npm run bench:feed -- --clients 200 --rate 50 --seconds 60 --users 10`: so many WebSockets and as many streams over
 * two API processes, and so many requests a second; half-way one process is killed, and its clients go on at the other
 * one after the last number that they saw. Fails when a client misses or doubles the end of a job of its user.
 */
const read = (option: string, standard: number) => {
  const at = process.argv.indexOf(option);
  return at < 0 ? standard : Number(process.argv[at + 1]);
};
const [clients, rate, seconds, users] = [
  read('--clients', 200),
  read('--rate', 50),
  read('--seconds', 60),
  read('--users', 10),
];
const extensions = join(import.meta.dirname, '../test/support/operations');
const isEnd = (event: string | undefined) => /^(succeeded|failed|canceled)$/.test(event ?? '');

/** One client through all its connections. */
interface Follower {
  way: 'WebSocket' | 'stream';
  user: number;
  ends: Map<string, number>;
  lastSeq: number | undefined;
  connections: number;
  outOfOrder: number;
  delaysMs: number[];
}

await using cluster = await startApiCluster({
  processes: 2,
  env: {
    EXTENSIONS: extensions,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
  },
});
const worker = fork(join(import.meta.dirname, '../src/workers/main.ts'), ['http'], {
  env: { ...process.env, ...cluster.env },
  execArgv: ['--disable-warning=ExperimentalWarning'],
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
await once(worker, 'message');
const keys = await Promise.all(Array.from({ length: users }, () => cluster.createKey(1_000_000)));

const alive = new Set<ApiProcess>(cluster.apis);
const anyApi = () => [...alive][Math.floor(Math.random() * alive.size)] as ApiProcess;
const over = new AbortController();

async function follow(follower: Follower): Promise<void> {
  while (!over.signal.aborted) {
    const query = follower.lastSeq === undefined ? '' : `?after=${follower.lastSeq}`;
    const headers = { 'X-API-Key': keys[follower.user]?.key ?? '' };
    const open = follower.way === 'WebSocket' ? openWebSocket : openStream;
    let client: FeedClient;
    try {
      client = await open(anyApi().url, { query, headers, onMessage: (message) => note(follower, message) });
    } catch {
      await sleep(100);
      continue;
    }
    follower.connections += 1;
    openClients.add(client);
    await client.closed;
    openClients.delete(client);
  }
}
const openClients = new Set<FeedClient>();

function note(follower: Follower, { type, seq, event, job }: FeedMessage): void {
  if (type === 'ready' && follower.lastSeq === undefined) follower.lastSeq = seq;
  if (type !== 'job' || seq === undefined || job === undefined) return;
  if (seq <= (follower.lastSeq ?? 0)) follower.outOfOrder += 1;
  follower.lastSeq = seq;
  if (!isEnd(event)) return;
  follower.ends.set(job.id, (follower.ends.get(job.id) ?? 0) + 1);
  follower.delaysMs.push(Date.now() - Date.parse(job.finishedAt ?? ''));
}

const followers: Follower[] = (['WebSocket', 'stream'] as const).flatMap((way) =>
  Array.from({ length: clients }, (_, n) => ({
    way,
    user: n % users,
    ends: new Map<string, number>(),
    lastSeq: undefined,
    connections: 0,
    outOfOrder: 0,
    delaysMs: [],
  })),
);
const following = followers.map((follower) => follow(follower));
while (followers.some(({ lastSeq }) => lastSeq === undefined)) await sleep(50);
console.log(`${clients} WebSockets and ${clients} streams of ${users} users are open`);

/** Jobs by user. Where an API is killed an answer may not come; the row tells what was promised. */
let refused = 0;
async function submit(n: number): Promise<void> {
  const key = keys[n % users]?.key ?? '';
  const answer = await fetch(new URL('/api/proxy/test/v1/noop', anyApi().url), {
    method: 'POST',
    headers: {
      'X-API-Key': key,
      'Content-Type': 'application/json',
      Prefer: 'respond-async',
    },
    body: '{}',
  }).catch(() => null);
  await answer?.arrayBuffer().catch(() => undefined);
  if (answer?.status !== 202) refused += 1;
}

const start = performance.now();
const pending: Promise<void>[] = [];
let isKilled = false;
for (let n = 0; n < rate * seconds; n++) {
  const due = start + (n * 1_000) / rate;
  await sleep(Math.max(0, due - performance.now()));
  pending.push(submit(n));
  const share = n / (rate * seconds);
  if (!isKilled && share >= 0.5) {
    isKilled = true;
    const [victim] = alive;
    if (victim === undefined) throw new Error('No API runs');
    alive.delete(victim);
    victim.process.kill('SIGKILL');
    console.log(`one API process is killed after ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  }
}
await Promise.all(pending);
const jobs = () => cluster.db.selectFrom('jobs').select(['id', 'user_id', 'status']).execute();
while ((await jobs()).some(({ status }) => !isEnd(status))) await sleep(200);
const all = await jobs();
const wantedOf = (user: number) => all.filter((job) => job.user_id === keys[user]?.userId);
const missedBy = (follower: Follower) =>
  wantedOf(follower.user).filter(({ id }) => !follower.ends.has(id)).length;
const giveUpAt = performance.now() + 30_000;
while (performance.now() < giveUpAt && followers.some((follower) => missedBy(follower) > 0)) await sleep(500);
over.abort();
for (const client of openClients) client.close();
await Promise.all(following);

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const missed = sum(followers.map(missedBy));
const doubled = sum(followers.map(({ ends }) => [...ends.values()].filter((count) => count > 1).length));
const delays = followers.flatMap(({ delaysMs }) => delaysMs);
console.log(
  `${all.length} jobs ended, ${refused} requests were not answered 202; ${sum(followers.map(({ ends }) => ends.size))} ends were told, over ${sum(followers.map(({ connections }) => connections))} connections`,
);
console.log(
  `${missed} missed, ${doubled} doubled, ${sum(followers.map(({ outOfOrder }) => outOfOrder))} out of order`,
);
console.log(
  `from the end of a job to its message: p50 ${quantile(delays, 0.5)} ms, p99 ${quantile(delays, 0.99)} ms, at most ${quantile(delays, 1)} ms`,
);

tellFigure({ what: 'events missed or doubled', value: missed + doubled, unit: '' });
tellFigure({ what: 'end of a job to its message, p99', value: quantile(delays, 0.99), unit: 'ms' });
worker.kill('SIGTERM');
process.exitCode = missed + doubled === 0 ? 0 : 1;
