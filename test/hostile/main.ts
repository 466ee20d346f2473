/**
 * One user sends a thousand mixed hostile requests beside another's ordinary load:
 * `npm run hostile [-- seed requests at-once kinds…]`; with `each` for the kinds, so many of each kind by itself. Fails
 * where the other user's requests do, or where a process is ended by its watchdog.
 *
 *     --minutes=10  spread the requests over this time
 *     --rounds=2    once more on the same service, and tell the memory after each round
 *     --heaps       tell also what the heaps of its processes hold, and what is left once their garbage is collected
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRandom } from '../chaos/random.ts';
import { createTestKey, readServiceLogs, startService } from '../support/service.ts';
import { startSite } from '../support/site.ts';
import { createAttacks } from './attacks.ts';
import { createHeapProbe } from './heaps.ts';
import { readHeldMemory } from './memory.ts';
import type { VictimReply } from './victim.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '0' },
    rounds: { type: 'string', default: '1' },
    heaps: { type: 'boolean', default: false },
  },
});
const [numbers, names] = [positionals.slice(0, 3).map(Number), positionals.slice(3)];
const [seed = 1, requests = 1_000, atOnce = 8] = numbers;
const [spreadMs, rounds] = [Number(options.minutes) * 60_000, Number(options.rounds)];
/** So many that the 99th percentile is of several requests. */
const quietRequests = 600;
const warmingAttacks = 30;
const victimEveryMs = 100;
/** After an attack: what it has left waiting is over. */
const calmMs = 10_000;
/** Processes that read foreign data end when nobody has used them for 30 s. */
const settleMs = 40_000;
const memoryEveryMs = 2_000;
const slowestTold = 12;

const site = await startSite();
const heaps = options.heaps ? await createHeapProbe() : null;
const service = await startService({ env: heaps?.env ?? {} });
const [attacker, victim] = [
  await createTestKey(service.home, 'scale'),
  await createTestKey(service.home, 'scale'),
];

const quantile = (values: number[], share: number) =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN);
const quantiles = (values: number[]) => ({ p50: quantile(values, 0.5), p99: quantile(values, 0.99) });

const failures: string[] = [];
let asked = 0;
// In a session of its own, as one of another machine: Linux may divide the processors between those first (sched(7)).
const other = fork(join(import.meta.dirname, 'victim.ts'), [service.url, victim.key], { detached: true });
/** An ordinary request of the other user. @returns how long it took; null where it was not answered as it should be. */
async function askAsVictim(): Promise<number | null> {
  asked += 1;
  const answered = once(other, 'message');
  other.send('ask');
  const [reply] = (await answered) as [VictimReply];
  if ('ms' in reply) return reply.ms;
  failures.push(reply.failure);
  return null;
}

const attacks = createAttacks({ url: service.url, key: attacker.key, site: site.origin, victim: victim.id });
const random = createRandom(seed);
const answers = new Map<string, number>();
/** Which pages were no one's to answer, how often. */
const unanswered = new Map<string, number>();
const addOne = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

/** What the other user finds while requests of these kinds are sent. */
async function attackBy(kinds: readonly string[]) {
  const underWay = new Map<string, number>();
  let sent = 0;
  const started = performance.now();
  async function attackOnAndOn(): Promise<void> {
    while (sent < requests) {
      const dueMs = (spreadMs * sent) / requests;
      sent += 1;
      await sleep(Math.max(0, started + dueMs - performance.now()));
      const { kind, page, send } = attacks.choose(random, kinds);
      underWay.set(kind, (underWay.get(kind) ?? 0) + 1);
      const status = await send();
      underWay.set(kind, (underWay.get(kind) ?? 0) - 1);
      addOne(answers, `${kind} ${status}`);
      if (/^(?:5|no)/.test(status)) addOne(unanswered, `${kind} ${status} ${page}`);
    }
  }
  const over = new AbortController();
  const attacking = Promise.all(Array.from({ length: atOnce }, attackOnAndOn)).finally(() => over.abort());
  const beside: number[] = [];
  const slowest: { ms: number; beside: string }[] = [];
  while (!over.signal.aborted) {
    const others = [...underWay].filter(([, count]) => count > 0).map(([kind, count]) => `${count} ${kind}`);
    const ms = await askAsVictim();
    if (ms !== null) {
      beside.push(ms);
      slowest.push({ ms: Math.round(ms), beside: others.join(', ') });
    }
    await sleep(victimEveryMs);
  }
  await attacking;
  return {
    kinds: kinds.length === attacks.kinds.length ? 'all' : kinds.join(', '),
    seconds: Math.round((performance.now() - started) / 1_000),
    victimRequests: beside.length,
    victimMs: quantiles(beside),
    slowest: slowest
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, slowestTold)
      .map(({ ms, beside: others }) => `${ms} ms beside ${others}`),
  };
}

// What starts at its first use is no growth.
for (let n = 0; n < warmingAttacks; n++) await attacks.choose(random, attacks.kinds).send();
await sleep(settleMs);

const quiet: number[] = [];
for (let n = 0; n < quietRequests; n++) quiet.push((await askAsVictim()) ?? Number.NaN);
const before = readHeldMemory(service);
const heapsBefore = await heaps?.read();
let peak = 0;
const memoryTimer = setInterval(() => (peak = Math.max(peak, readHeldMemory(service).sum)), memoryEveryMs);

const chosen = names.includes('each')
  ? attacks.kinds.map((kind) => [kind])
  : [names.length > 0 ? names : attacks.kinds];
const beside = [];
const afterRounds = [];
for (let round = 1; round <= rounds; round++) {
  for (const kinds of chosen) {
    const found = await attackBy(kinds);
    beside.push(found);
    console.error(JSON.stringify(found));
    await sleep(calmMs);
  }
  const soonAfter = readHeldMemory(service).sum;
  await sleep(settleMs - calmMs);
  const after = readHeldMemory(service);
  const found = { [`${calmMs / 1_000} s after`]: soonAfter, after: after.sum, processes: after.processes };
  console.error(JSON.stringify(found));
  afterRounds.push({ ...found, ...(heaps && { heaps: await heaps.read() }) });
}
clearInterval(memoryTimer);
const logs = await readServiceLogs(service.home);
const restarts = service.output().match(/ended unexpectedly/g)?.length ?? 0;
const report = {
  seed,
  victim: { requests: asked, failures: failures.length, quietMs: quantiles(quiet) },
  beside,
  memoryMb: {
    before: { sum: before.sum, processes: before.processes, ...(heapsBefore && { heaps: heapsBefore }) },
    peak,
    rounds: afterRounds,
  },
  processesEnded: restarts,
  internalErrors: logs.match(/a job failed unexpectedly/g)?.length ?? 0,
  loadAverage: readFileSync('/proc/loadavg', 'utf8').split(' ')[0],
  answers: Object.fromEntries([...answers].toSorted()),
  unanswered: Object.fromEntries([...unanswered].toSorted()),
};
console.log(JSON.stringify(report, null, 2));
for (const failure of failures.slice(0, 5)) console.error(failure);
other.disconnect();
await service.stop();
await heaps?.close();
await site.close();
process.exit(failures.length === 0 && restarts === 0 ? 0 : 1);
