/**
 * One user sends a thousand mixed hostile requests beside another's ordinary load: `npm run hostile [-- seed requests
 * at-once]`. Fails where the other user's requests do, or where a process is ended by its watchdog.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessTree } from '../../src/shared/processes/process-tree.ts';
import { createRandom } from '../chaos/random.ts';
import { createTestKey, readServiceLogs, startService } from '../support/service.ts';
import { startSite } from '../support/site.ts';
import { createAttacks } from './attacks.ts';

const [seed = 1, requests = 1_000, atOnce = 8] = process.argv.slice(2).map(Number);
const quietRequests = 60;
const warmingAttacks = 30;
/** Processes that read foreign data end when nobody has used them for 30 s. */
const settleMs = 40_000;
const slowestTold = 12;

const site = await startSite();
const service = await startService();
const [attacker, victim] = [
  await createTestKey(service.home, 'scale'),
  await createTestKey(service.home, 'scale'),
];

const megabytes = () =>
  Math.round(readProcessTree(service.process.pid ?? 0).reduce((sum, one) => sum + one.bytes, 0) / 1_048_576);
const quantile = (values: number[], share: number) =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN);

/** What each process holds, the largest first: `worker-http 210`. */
function listProcesses(): string[] {
  const found = readProcessTree(service.process.pid ?? 0).map(({ pid, bytes }) => {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').filter(Boolean);
    const name = words.find((word) => /\.ts$|--type=/.test(word)) ?? words[0] ?? '';
    return { name: basename(name), megabytes: Math.round(bytes / 1_048_576) };
  });
  return found
    .filter(({ megabytes: size }) => size >= 20)
    .toSorted((a, b) => b.megabytes - a.megabytes)
    .map(({ name, megabytes: size }) => `${name} ${size}`);
}

/** An ordinary request of the other user; null where it was answered as it should be. */
async function askAsVictim(n: number): Promise<{ ms: number; failure: string | null }> {
  const start = performance.now();
  const answer = await fetch(`${service.url}/api/proxy/web/v1/scrape`, {
    method: 'POST',
    headers: { 'X-API-Key': victim.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: `${site.origin}/article?victim=${n}`, render: 'http' }),
  });
  const text = await answer.text();
  const isRight = answer.status === 200 && text.includes('How slate is split');
  return {
    ms: performance.now() - start,
    failure: isRight ? null : `${answer.status} ${text.slice(0, 200)}`,
  };
}

const attack = createAttacks({ url: service.url, key: attacker.key, site: site.origin, victim: victim.id });
const random = createRandom(seed);
// What starts at its first use is no growth.
for (let n = 0; n < warmingAttacks; n++) await attack(random).send();
await sleep(settleMs);

const quiet: number[] = [];
for (let n = 0; n < quietRequests; n++) quiet.push((await askAsVictim(n)).ms);
const memoryBefore = megabytes();
const processesBefore = listProcesses();

/** How many of each kind are under way. */
const underWay = new Map<string, number>();
const answers = new Map<string, number>();
let sent = 0;
async function attackOnAndOn(): Promise<void> {
  while (sent < requests) {
    sent += 1;
    const { kind, send } = attack(random);
    underWay.set(kind, (underWay.get(kind) ?? 0) + 1);
    const status = await send();
    underWay.set(kind, (underWay.get(kind) ?? 0) - 1);
    const name = `${kind} ${status}`;
    answers.set(name, (answers.get(name) ?? 0) + 1);
  }
}
const started = performance.now();
const over = new AbortController();
const attacking = Promise.all(Array.from({ length: atOnce }, attackOnAndOn)).finally(() => over.abort());
const beside: number[] = [];
const failures: string[] = [];
const slowest: { ms: number; beside: string }[] = [];
let memoryPeak = 0;
for (let n = quietRequests; !over.signal.aborted; n++) {
  const kinds = [...underWay].filter(([, count]) => count > 0).map(([kind, count]) => `${count} ${kind}`);
  const { ms, failure } = await askAsVictim(n).catch((error: unknown) => ({ ms: 0, failure: String(error) }));
  slowest.push({ ms: Math.round(ms), beside: kinds.join(', ') });
  if (failure === null) beside.push(ms);
  else failures.push(failure);
  memoryPeak = Math.max(memoryPeak, megabytes());
  await sleep(100);
}
await attacking;
const seconds = Math.round((performance.now() - started) / 1_000);
await sleep(settleMs);
const logs = await readServiceLogs(service.home);
const restarts = service.output().match(/ended unexpectedly/g)?.length ?? 0;
const report = {
  seed,
  requests: sent,
  seconds,
  victim: {
    requests: beside.length + failures.length,
    failures: failures.length,
    quietMs: { p50: quantile(quiet, 0.5), p99: quantile(quiet, 0.99) },
    besideMs: { p50: quantile(beside, 0.5), p99: quantile(beside, 0.99) },
  },
  memoryMb: { before: memoryBefore, peak: memoryPeak, after: megabytes() },
  processes: { before: processesBefore, after: listProcesses() },
  slowest: slowest.toSorted((a, b) => b.ms - a.ms).slice(0, slowestTold),
  processesEnded: restarts,
  internalErrors: logs.match(/a job failed unexpectedly/g)?.length ?? 0,
  loadAverage: readFileSync('/proc/loadavg', 'utf8').split(' ')[0],
  answers: Object.fromEntries([...answers].toSorted()),
};
console.log(JSON.stringify(report, null, 2));
for (const failure of failures.slice(0, 5)) console.error(failure);
await service.stop();
await site.close();
process.exit(failures.length === 0 && restarts === 0 ? 0 : 1);
