import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { WebhookDeliveryRow } from '../src/shared/db/tables.ts';
import { type ApiProcess, startApiCluster } from '../test/support/api-cluster.ts';
import { quantile } from './measure.ts';
import { tellFigure } from './figures.ts';

/**
 * `npm run bench:webhooks -- --rate 20 --seconds 120`: jobs of three users over two API processes, each of which names
 * a receiver. One receiver is down for the middle half, one hangs, one is always there; half-way one API process is
 * killed. Fails where a message was received more or less often than the log says, where a signature does not verify,
 * and where the first try of a message to the receiver that is there begins more than a second after the job's end.
 */
const read = (option: string, standard: number) => {
  const at = process.argv.indexOf(option);
  return at < 0 ? standard : Number(process.argv[at + 1]);
};
const [rate, seconds] = [read('--rate', 20), read('--seconds', 120)];
const mostDelayMs = 1_000;

await using cluster = await startApiCluster({
  processes: 2,
  env: {
    EXTENSIONS: join(import.meta.dirname, '../test/support/operations'),
    EGRESS_ALLOW: '127.0.0.0/8',
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    WEBHOOK_RETRY_SECONDS: Array.from({ length: 40 }, (_, n) => Math.min(8, 2 ** n)).join(','),
  },
});
const worker = fork(join(import.meta.dirname, '../src/workers/main.ts'), ['http'], {
  env: { ...process.env, ...cluster.env },
  execArgv: ['--disable-warning=ExperimentalWarning'],
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
await once(worker, 'message');

interface Received {
  at: number;
  headers: IncomingHttpHeaders;
  body: string;
}

async function startReceiver(name: string) {
  const owner = await cluster.createKey(1_000_000);
  const state = { is: 'there' as 'there' | 'down' | 'hanging' };
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    if (state.is === 'down') return void request.socket.destroy();
    const body = await text(request);
    received.push({ at: Date.now(), headers: request.headers, body });
    if (state.is === 'there') response.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { name, owner, state, received, server, origin: `http://127.0.0.1:${port}` };
}
type Receiver = Awaited<ReturnType<typeof startReceiver>>;
const receivers = await Promise.all(['always there', 'down for a while', 'hanging'].map(startReceiver));
const [steady, away, hanging] = receivers as [Receiver, Receiver, Receiver];
hanging.state.is = 'hanging';

const alive = new Set<ApiProcess>(cluster.apis);
const anyApi = () => [...alive][Math.floor(Math.random() * alive.size)] as ApiProcess;

async function ask(path: string, receiver: Receiver, init: RequestInit = {}): Promise<Response | null> {
  const headers = { 'X-API-Key': receiver.owner.key, 'Content-Type': 'application/json', ...init.headers };
  return await fetch(new URL(path, anyApi().url), { ...init, headers }).catch(() => null);
}

let refused = 0;
async function submit(receiver: Receiver): Promise<void> {
  const headers = { Prefer: 'respond-async', 'X-Webhook-Url': `${receiver.origin}/hook` };
  const answer = await ask('/api/proxy/test/v1/noop', receiver, { method: 'POST', headers, body: '{}' });
  await answer?.arrayBuffer().catch(() => undefined);
  if (answer?.status !== 202) refused += 1;
}

const start = performance.now();
const pending: Promise<void>[] = [];
let downAt = 0;
let backAt = 0;
for (let n = 0; n < rate * seconds; n++) {
  await sleep(Math.max(0, start + (n * 1_000) / rate - performance.now()));
  pending.push(submit(receivers[n % receivers.length] as Receiver));
  const share = n / (rate * seconds);
  if (downAt === 0 && share >= 0.25) [away.state.is, downAt] = ['down', Date.now()];
  if (backAt === 0 && share >= 0.75) [away.state.is, backAt] = ['there', Date.now()];
  if (alive.size === 2 && share >= 0.5) {
    const [victim] = alive;
    if (victim === undefined) throw new Error('No API runs');
    alive.delete(victim);
    victim.process.kill('SIGKILL');
  }
}
await Promise.all(pending);
console.log(
  `${rate * seconds} requests, ${refused} not answered 202 (an API was killed half-way); one receiver was down for ${Math.round((backAt - downAt) / 1_000)} s`,
);

const listOf = (receiver: Receiver): Promise<WebhookDeliveryRow[]> =>
  cluster.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('receiver', '=', receiver.origin)
    .orderBy('id')
    .execute();
const giveUpAt = performance.now() + 180_000;
while (performance.now() < giveUpAt) {
  const rows = [...(await listOf(steady)), ...(await listOf(away))];
  if (rows.every(({ status }) => status !== 'pending')) break;
  await sleep(500);
}
worker.kill('SIGTERM');

/** Each message that was received is a line of the log, each line with an answer was received. */
function countFlaws(row: WebhookDeliveryRow, received: readonly Received[]): number {
  const lines = row.attempts.map(({ at, status }) => ({
    second: Math.floor(Date.parse(at) / 1_000),
    status,
  }));
  let flaws = row.status === 'delivered' ? 0 : 1;
  for (const { headers } of received) {
    const own = lines.filter(({ second }) => second === Number(headers['webhook-timestamp']));
    const line = own.find(({ status }) => status !== null) ?? own[0];
    if (line === undefined) flaws += 1;
    else lines.splice(lines.indexOf(line), 1);
  }
  return flaws + lines.filter(({ status }) => status !== null).length;
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
for (const receiver of [steady, away]) {
  const rows = await listOf(receiver);
  const byId = Map.groupBy(receiver.received, ({ headers }) => String(headers['webhook-id']));
  const flaws = sum(rows.map((row) => countFlaws(row, byId.get(row.id) ?? [])));
  const answer = await ask('/api/webhooks/secret', receiver);
  if (answer?.status !== 200) throw new Error('The secret could not be asked for');
  const { secret } = (await answer.json()) as { secret: string };
  const webhook = new Webhook(secret);
  const unsigned = receiver.received.filter(({ body, headers }) => {
    try {
      webhook.verify(body, headers as Record<string, string>);
      return false;
    } catch {
      return true;
    }
  }).length;
  const tries = rows.flatMap(({ attempts }) => attempts);
  const unknown = tries.filter(({ error }) => error === 'interrupted').length;
  console.log(
    `${receiver.name}: ${rows.length} messages, ${tries.length} tries, of which ${unknown} ended with the killed process; ${receiver.received.length} received, ${flaws} not as the log says, ${unsigned} with a wrong signature`,
  );
  tellFigure({ what: `${receiver.name}, lost, doubled or unsigned`, value: flaws + unsigned, unit: '' });
  if (flaws + unsigned > 0) process.exitCode = 1;
}

const first = (await listOf(steady)).flatMap(({ created_at: at, attempts }) =>
  attempts[0] ? [Date.parse(attempts[0].at) - at.getTime()] : [],
);
const slowest = quantile(first, 1);
if (slowest > mostDelayMs) process.exitCode = 1;
tellFigure({ what: 'end of a job to the first try, p99', value: quantile(first, 0.99), unit: 'ms' });
console.log(
  `beside a receiver that hangs (${hanging.received.length} tries) and one that is down, the first try of another's message begins p50 ${quantile(first, 0.5)} ms, p99 ${quantile(first, 0.99)} ms, at most ${slowest} ms after the job's end`,
);
const late = away.received.filter(({ at }) => at > backAt).map(({ at }) => at);
const lastOfBacklog =
  late[
    (await listOf(away)).filter(({ created_at: at }) => at.getTime() < backAt).length -
      away.received.filter(({ at }) => at < downAt).length -
      1
  ];
if (late[0] !== undefined && lastOfBacklog !== undefined) {
  console.log(
    `the receiver that was down was asked again ${((late[0] - backAt) / 1_000).toFixed(1)} s after it was back; what had gathered came within ${((lastOfBacklog - late[0]) / 1_000).toFixed(1)} s`,
  );
}
for (const { server } of receivers) {
  server.close();
  server.closeAllConnections();
}
