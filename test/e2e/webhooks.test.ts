import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ApiCluster, type OwnedKey, startApiCluster } from '../support/api-cluster.ts';
import { type Answer, call, scrapePath } from '../support/client.ts';

let cluster: ApiCluster;
beforeAll(async () => {
  cluster = await startApiCluster({
    processes: 2,
    env: { EGRESS_ALLOW: '127.0.0.0/8', WEBHOOK_RETRY_SECONDS: '0.2,0.4,0.6,0.8,1,1,1,1,1,1,1,1' },
  });
});
afterAll(() => cluster[Symbol.asyncDispose]());

interface Received {
  id: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Somebody's server, which answers what the test says; null: never. */
async function startReceiver(port = 0) {
  const received: Received[] = [];
  const state: { status: number | null; headers: Record<string, string> } = { status: 204, headers: {} };
  /** Messages whose sender has gone before it was answered. */
  const unanswered: string[] = [];
  const waiting: ServerResponse[] = [];
  const load = { open: 0, mostOpen: 0 };
  const server = createServer(async (request, response) => {
    load.mostOpen = Math.max(load.mostOpen, ++load.open);
    response.on('close', () => load.open--);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const id = String(request.headers['webhook-id']);
    received.push({ id, headers: request.headers, body: Buffer.concat(parts).toString() });
    response.once('close', () => {
      if (!response.writableFinished) unanswered.push(id);
    });
    if (state.status === null) waiting.push(response);
    else response.writeHead(state.status, state.headers).end('Thank\0 you');
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  /** From now on answers, those that wait too. */
  const answer = (status: number) => {
    state.status = status;
    for (const response of waiting.splice(0)) response.writeHead(status).end();
  };
  const stop = async () => {
    const closed = once(server.close(), 'close');
    server.closeAllConnections();
    await closed;
  };
  stops.push(stop);
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}/hook`, port: own, received, unanswered, state, load, answer, stop };
}
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop().catch(() => undefined);
});

const url = (n = 0) => cluster.apis[n]!.url;

async function submit(owner: OwnedKey, webhook: string, base = url()) {
  const headers = { Prefer: 'respond-async', 'X-Webhook-Url': webhook };
  return await call(scrapePath, { key: owner.key, body: { url: 'https://example.com/' }, headers }, base);
}

/** A job that has ended: no worker runs here, so it is canceled. */
async function end(owner: OwnedKey, webhook: string, base = url()): Promise<string> {
  const answer = await submit(owner, webhook, base);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  const id = answer.body['data'].id as string;
  await call(`/api/proxy/jobs/${id}`, { key: owner.key, method: 'DELETE' }, base);
  return id;
}

async function deliveryOf(owner: OwnedKey, jobId: string) {
  const { body } = await call(`/api/webhooks/deliveries?jobId=${jobId}`, { key: owner.key }, url(1));
  return body['deliveries'][0];
}
const untilStatus = async (owner: OwnedKey, jobId: string, status: string) => {
  await expect.poll(async () => (await deliveryOf(owner, jobId))?.status, { timeout: 20_000 }).toBe(status);
  return await deliveryOf(owner, jobId);
};

interface Attempt {
  at: string;
  status: number | null;
  error: string | null;
}

/**
 * Each message that was received is a line of the log, and each line with an answer was received: they are matched by
 * the second that both name. Of a line that says `interrupted` nobody knows.
 */
function expectAsLogged(received: readonly Received[], id: string, attempts: readonly Attempt[]): void {
  const left = attempts.map(({ at, status }) => ({ second: Math.floor(Date.parse(at) / 1_000), status }));
  for (const { headers } of received.filter((one) => one.id === id)) {
    const second = Number(headers['webhook-timestamp']);
    const matching = left.filter((line) => line.second === second);
    const line = matching.find(({ status }) => status !== null) ?? matching[0];
    expect(line, `a try at ${second} of ${JSON.stringify(attempts)}`).toBeDefined();
    left.splice(left.indexOf(line!), 1);
  }
  expect(left.filter(({ status }) => status !== null)).toEqual([]);
}

const secretOf = async (owner: OwnedKey) =>
  (await call('/api/webhooks/secret', { key: owner.key }, url())).body['secret'] as string;

const verify = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

test('the end of a job is told once, with a signature that the package of the standard verifies', async () => {
  const owner = await cluster.createKey(1_000);
  const receiver = await startReceiver();
  const jobId = await end(owner, receiver.url);
  const delivery = await untilStatus(owner, jobId, 'delivered');
  expect(receiver.received.map(({ id }) => id)).toEqual([jobId]);
  const message = verify(await secretOf(owner), receiver.received[0]!);
  expect(message).toMatchObject({ type: 'job.canceled', data: { id: jobId, status: 'canceled' } });
  expect(delivery).toMatchObject({
    id: jobId,
    type: 'job.canceled',
    attempts: [{ status: 204, error: null, answer: '' }],
  });
  expect(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, receiver.received[0]!)).toThrow();
});

test('after a rotation both secrets verify, and the new one is the answer', async () => {
  const owner = await cluster.createKey(1_000);
  const receiver = await startReceiver();
  const old = await secretOf(owner);
  const rotated = await call('/api/webhooks/secret/rotate', { method: 'POST', key: owner.key }, url(1));
  const { secret, previous } = rotated.body;
  expect(previous.map((one: { secret: string }) => one.secret)).toEqual([old]);
  expect(await secretOf(owner)).toBe(secret);
  await untilStatus(owner, await end(owner, receiver.url), 'delivered');
  for (const each of [old, secret]) verify(each, receiver.received[0]!);
  await cluster.db
    .updateTable('webhook_secrets')
    .set({ retires_at: new Date(Date.now() - 1) })
    .where('retires_at', 'is not', null)
    .execute();
  await untilStatus(owner, await end(owner, receiver.url), 'delivered');
  expect(() => verify(old, receiver.received[1]!)).toThrow();
  verify(secret, receiver.received[1]!);
});

test('a receiver that is down gets each message later, as often as the log says', async () => {
  const owner = await cluster.createKey(1_000);
  const { port, url: hook, stop } = await startReceiver();
  await stop();
  const ids = await Promise.all(Array.from({ length: 6 }, (_, n) => end(owner, hook, url(n % 2))));
  await expect
    .poll(async () => (await deliveryOf(owner, ids[0]!)).attempts.length, { timeout: 15_000 })
    .toBeGreaterThan(0);
  const receiver = await startReceiver(port);
  receiver.state.status = 500;
  await expect.poll(() => receiver.received.length, { timeout: 15_000 }).toBeGreaterThan(2);
  receiver.state.status = 200;
  for (const id of ids) {
    const { attempts } = await untilStatus(owner, id, 'delivered');
    expectAsLogged(receiver.received, id, attempts);
    expect(attempts.filter((attempt: { status: number }) => attempt.status === 200).length).toBe(1);
  }
  const secret = await secretOf(owner);
  for (const one of receiver.received) verify(secret, one);
}, 60_000);

test('one that hangs costs others nothing', async () => {
  const [slow, quick] = [await cluster.createKey(1_000), await cluster.createKey(1_000)];
  const [hanging, receiver] = [await startReceiver(), await startReceiver()];
  hanging.state.status = null;
  await Promise.all(Array.from({ length: 40 }, (_, n) => end(slow, hanging.url, url(n % 2))));
  await expect.poll(() => hanging.received.length).toBeGreaterThan(3);
  await untilStatus(quick, await end(quick, receiver.url), 'delivered');
  // Each of the two processes has four under way at most, and most of what waits for it was not even begun.
  expect(hanging.load.mostOpen).toBeLessThanOrEqual(8);
  expect(hanging.received.length).toBeLessThan(20);
}, 60_000);

test('one user’s many receivers that hang have a bounded number under way, and cost others nothing', async () => {
  const [slow, quick] = [await cluster.createKey(1_000), await cluster.createKey(1_000)];
  const [receiver, ...hanging] = await Promise.all(Array.from({ length: 41 }, () => startReceiver()));
  for (const { state } of hanging) state.status = null;
  await Promise.all(hanging.map((each, n) => end(slow, each.url, url(n % 2))));
  const open = () => hanging.reduce((sum, { load }) => sum + load.open, 0);
  await expect.poll(open, { timeout: 15_000 }).toBeGreaterThanOrEqual(16);
  await untilStatus(quick, await end(quick, receiver!.url), 'delivered');
  // Sixteen of each process.
  expect(open()).toBeLessThanOrEqual(32);
}, 60_000);

test('what a process was sending when it was killed is in the log as a try without an answer, and tried again', async () => {
  const owner = await cluster.createKey(1_000);
  const doomed = await cluster.startApi();
  const receiver = await startReceiver();
  receiver.state.status = null;
  const ids = await Promise.all(Array.from({ length: 14 }, (_, n) => end(owner, receiver.url, url(n % 2))));
  await expect.poll(() => receiver.load.open, { timeout: 15_000 }).toBe(12);
  doomed.process.kill('SIGKILL');
  await expect.poll(() => receiver.unanswered.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(4);
  const interrupted = receiver.unanswered.slice(0, 4);
  for (const id of interrupted)
    expect(await deliveryOf(owner, id)).toMatchObject({
      status: 'pending',
      attempts: [{ status: null, error: null, answer: null, ms: null }],
    });
  receiver.answer(204);
  // As if the time of a claim were over.
  await cluster.db
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: new Date() })
    .where('id', 'in', interrupted)
    .execute();
  for (const id of ids)
    expectAsLogged(receiver.received, id, (await untilStatus(owner, id, 'delivered')).attempts);
  for (const id of interrupted)
    expect(await deliveryOf(owner, id)).toMatchObject({
      attempts: [
        { status: null, error: 'interrupted' },
        { status: 204, error: null },
      ],
    });
}, 90_000);

test('410 stops all that waits for the URL; a redirect is not followed; what was answered is told', async () => {
  const owner = await cluster.createKey(1_000);
  const [receiver, elsewhere] = [await startReceiver(), await startReceiver()];
  receiver.state.status = 302;
  receiver.state.headers = { Location: elsewhere.url };
  const jobId = await end(owner, receiver.url);
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  receiver.state.status = 410;
  const { attempts } = await untilStatus(owner, jobId, 'stopped');
  expect(attempts[0]).toMatchObject({ status: 302, answer: 'Thank\ufffd you' });
  expect(elsewhere.received).toEqual([]);

  receiver.state.status = 200;
  const again = await call(
    `/api/webhooks/deliveries/${jobId}/redeliver`,
    { method: 'POST', key: owner.key },
    url(),
  );
  expect(again.body['delivery']).toMatchObject({ id: jobId, status: 'pending' });
  await untilStatus(owner, jobId, 'delivered');
  expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([jobId]));
});

test('an answer counts by its status, also where its body cannot be read', async () => {
  const owner = await cluster.createKey(1_000);
  const receiver = await startReceiver();
  receiver.state.status = 200;
  receiver.state.headers = { 'Content-Encoding': 'gzip' };
  const { attempts } = await untilStatus(owner, await end(owner, receiver.url), 'delivered');
  expect(attempts).toMatchObject([{ status: 200, error: null, answer: '' }]);
});

test('nothing is sent more than a hundred times; of a job that is gone nothing is, which its receiver is not blamed for', async () => {
  const owner = await cluster.createKey(1_000);
  const receiver = await startReceiver();
  receiver.state.status = 500;
  const jobId = await end(owner, receiver.url);
  const attempt = { at: new Date().toISOString(), status: 500, error: null, answer: null, ms: 1 };
  const redeliverAfter = async (count: number) => {
    const attempts = JSON.stringify(Array.from({ length: count }, () => attempt));
    const own = cluster.db.updateTable('webhook_deliveries').where('id', '=', jobId);
    await own.set({ attempts, status: 'failed', claim_token: null }).execute();
    const path = `/api/webhooks/deliveries/${jobId}/redeliver`;
    expect((await call(path, { method: 'POST', key: owner.key }, url())).status).toBe(200);
    return (await untilStatus(owner, jobId, 'failed')).attempts;
  };
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  expect(await redeliverAfter(99)).toHaveLength(100);

  await cluster.db.deleteFrom('jobs').where('id', '=', jobId).execute();
  const sent = receiver.received.length;
  const attempts = await redeliverAfter(0);
  expect(attempts).toMatchObject([{ status: null, error: 'not_found' }]);
  expect(receiver.received).toHaveLength(sent);
  const blamed = cluster.db.selectFrom('webhook_receivers').selectAll().where('user_id', '=', owner.userId);
  expect(await blamed.execute()).toEqual([]);
});

test('a test message is sent once', async () => {
  const owner = await cluster.createKey(1_000);
  const receiver = await startReceiver();
  receiver.state.status = 500;
  const made = await call('/api/webhooks/test', { key: owner.key, body: { url: receiver.url } }, url());
  expect(made.status).toBe(201);
  const list = () => call('/api/webhooks/deliveries?status=failed', { key: owner.key }, url());
  await expect.poll(async () => (await list()).body['deliveries'].length, { timeout: 15_000 }).toBe(1);
  expect(receiver.received.length).toBe(1);
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ type: 'webhook.test' });
});

test('a receiver that is left alone is asked at once where its user sends a test, or a message again', async () => {
  const owner = await cluster.createKey(1_000);
  const receiver = await startReceiver();
  const leaveAlone = () =>
    cluster.db
      .insertInto('webhook_receivers')
      .values({
        user_id: owner.userId,
        receiver: new URL(receiver.url).origin,
        failures: 5,
        open_until: new Date(Date.now() + 300_000),
      })
      .execute();
  await leaveAlone();
  const made = await call('/api/webhooks/test', { key: owner.key, body: { url: receiver.url } }, url());
  // It goes with the answer.
  const known = cluster.db.selectFrom('webhook_receivers').selectAll().where('user_id', '=', owner.userId);
  await expect.poll(() => known.execute()).toEqual([]);
  await leaveAlone();
  const { id } = made.body['delivery'];
  await call(`/api/webhooks/deliveries/${id}/redeliver`, { method: 'POST', key: owner.key }, url());
  await expect.poll(() => receiver.received.length).toBe(2);
});

test('deliveries are listed newest first, whenever their jobs were asked for', async () => {
  const owner = await cluster.createKey(1_000);
  const receiver = await startReceiver();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push((await submit(owner, receiver.url)).body['data'].id);
  for (const id of ids.toReversed())
    await call(`/api/proxy/jobs/${id}`, { key: owner.key, method: 'DELETE' }, url());
  const listed: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `/api/webhooks/deliveries?limit=1${cursor && `&cursor=${cursor}`}`;
    const { body }: Answer<Record<string, any>> = await call(path, { key: owner.key }, url());
    listed.push(...body['deliveries'].map((delivery: { id: string }) => delivery.id));
    cursor = body['nextCursor'];
  }
  expect(listed).toEqual(ids);
});

test('tests are bounded by the hour, and so are the tries of one message', async () => {
  const owner = await cluster.createKey(1_000);
  const receiver = await startReceiver();
  const ask = () => call('/api/webhooks/test', { key: owner.key, body: { url: receiver.url } }, url());
  const answers = await Promise.all(Array.from({ length: 65 }, ask));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(60);
  expect(answers.find(({ status }) => status !== 201)).toMatchObject({
    status: 429,
    body: { code: 'rate_limited' },
  });

  const { id } = answers.find(({ status }) => status === 201)!.body['delivery'];
  const ofTest = cluster.db.selectFrom('webhook_deliveries').select('status').where('id', '=', id);
  await expect
    .poll(async () => (await ofTest.executeTakeFirst())?.status, { timeout: 30_000 })
    .toBe('delivered');
  const attempt = { at: new Date().toISOString(), status: 500, error: null, answer: null, ms: 1 };
  await cluster.db
    .updateTable('webhook_deliveries')
    .set({ attempts: JSON.stringify(Array.from({ length: 100 }, () => attempt)) })
    .where('id', '=', id)
    .execute();
  const path = `/api/webhooks/deliveries/${id}/redeliver`;
  expect(await call(path, { method: 'POST', key: owner.key }, url())).toMatchObject({ status: 403 });
});

test('a repeated request whose job tells somebody else is refused', async () => {
  const owner = await cluster.createKey(1_000);
  const repeat = async (headers: Record<string, string>) => {
    const body = { url: 'https://example.com/' };
    const key = { 'Idempotency-Key': 'once', Prefer: 'respond-async' };
    const answer = await call(scrapePath, { key: owner.key, body, headers: { ...key, ...headers } }, url());
    return [answer.status, answer.body['code']];
  };
  const [first, other] = ['one', 'two'].map((name) => ({ 'X-Webhook-Url': `https://${name}.example/` }));
  expect(await repeat({ ...first })).toEqual([202, undefined]);
  expect(await repeat({ ...first })).toEqual([202, undefined]);
  expect(await repeat({})).toEqual([202, undefined]);
  expect(await repeat({ ...other })).toEqual([422, 'idempotency_mismatch']);
});

test('where no message may go the request is refused, and costs nothing', async () => {
  const owner = await cluster.createKey(1_000);
  expect(await submit(owner, 'http://10.0.0.1/')).toMatchObject({ body: { code: 'url_not_allowed' } });
  expect(await submit(owner, 'no url')).toMatchObject({ body: { code: 'invalid_request' } });
  // Its bytes as UTF-8, read as Latin-1, would be the name of another host.
  const inUtf8 = Buffer.from('https://caf\u00e9.example/').toString('latin1');
  expect(await submit(owner, inUtf8)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect((await submit(owner, 'https://receiver.example/')).headers.get('RateLimit')).toMatch(/r=999;/);
  const body = { url: 'http://10.0.0.1/' };
  expect(await call('/api/webhooks/test', { key: owner.key, body }, url())).toMatchObject({
    body: { code: 'url_not_allowed' },
  });
});

test('nobody sees or repeats another user’s deliveries', async () => {
  const [owner, other] = [await cluster.createKey(1_000), await cluster.createKey(1_000)];
  const receiver = await startReceiver();
  const jobId = await end(owner, receiver.url);
  await untilStatus(owner, jobId, 'delivered');
  expect(await deliveryOf(other, jobId)).toBeUndefined();
  const path = `/api/webhooks/deliveries/${jobId}/redeliver`;
  expect((await call(path, { method: 'POST', key: other.key }, url())).status).toBe(404);
  expect(await secretOf(other)).not.toBe(await secretOf(owner));
});
