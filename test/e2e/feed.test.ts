import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Subscriber } from '../../src/api/feed/subscriber.ts';
import { createId } from '../../src/shared/ids.ts';
import { type ApiCluster, type OwnedKey, startApiCluster } from '../support/api-cluster.ts';
import { call, scrapePath } from '../support/client.ts';
import { type FeedClient, type FeedRequest, openStream, openWebSocket } from '../support/feed-client.ts';
import { signIn } from '../support/session.ts';

const password = 'correct horse battery';
let cluster: ApiCluster;
let owner: OwnedKey;
beforeAll(async () => {
  // Who is not heard of for two heartbeats is taken for gone: long, for a test that is not scheduled for a while.
  cluster = await startApiCluster({ processes: 2, env: { FEED_HEARTBEAT_MS: '3000' } });
  owner = await cluster.createKey(100_000, password);
});
afterAll(() => cluster[Symbol.asyncDispose]());

const url = (n: number) => cluster.apis[n]!.url;
const byKey = ({ key }: Pick<OwnedKey, 'key'>): FeedRequest => ({ headers: { 'X-API-Key': key } });

const opened: FeedClient[] = [];
afterEach(() => {
  for (const client of opened.splice(0)) client.close();
});
async function open(
  way: 'WebSocket' | 'stream',
  base: string,
  request: FeedRequest = byKey(owner),
): Promise<FeedClient> {
  const client = await (way === 'WebSocket' ? openWebSocket : openStream)(base, request);
  opened.push(client);
  return client;
}

const ready = (client: FeedClient) => client.find(({ type }) => type === 'ready');

/** It follows what comes: told of a job that was begun after it. */
async function isLive(client: FeedClient): Promise<void> {
  await ready(client);
  const id = await submit();
  await client.find(({ job }) => job?.id === id);
}

/** No worker runs here: a job is queued until it is canceled. */
async function submit(by: Pick<OwnedKey, 'key'> = owner, base = url(0)): Promise<string> {
  const body = { url: 'https://example.com/' };
  const answer = await call(scrapePath, { key: by.key, body, headers: { Prefer: 'respond-async' } }, base);
  expect(answer.status).toBe(202);
  return answer.body['data'].id as string;
}
const cancel = (id: string, base = url(1)) =>
  call(`/api/proxy/jobs/${id}`, { key: owner.key, method: 'DELETE' }, base);

/** What was told of jobs, as `event job`, in the order in which it came. */
const told = ({ messages }: Pick<FeedClient, 'messages'>) =>
  messages.filter(({ type }) => type === 'job').map(({ event, job }) => `${event} ${job?.id}`);
const seqs = ({ messages }: Pick<FeedClient, 'messages'>) =>
  messages.filter(({ type }) => type === 'job').map(({ seq }) => seq ?? 0);
const isEnd = (id: string) => (message: { event?: string; job?: { id: string } }) =>
  message.event === 'canceled' && message.job?.id === id;

describe.each(['WebSocket', 'stream'] as const)('a %s', (way) => {
  test('tells each change of one’s own jobs, from whichever process, and of nobody else’s', async () => {
    const other = await cluster.createKey(100);
    const client = await open(way, url(0));
    await ready(client);
    await submit(other, url(1));
    const id = await submit(owner, url(1));
    await cancel(id, url(1));
    const last = await client.find(isEnd(id));
    expect(told(client)).toEqual([`accepted ${id}`, `canceled ${id}`]);
    expect(client.messages.find(({ event }) => event === 'accepted')?.job?.status).toBe('queued');
    expect(last.job?.status).toBe('canceled');
  });

  test('goes on after the last number that was seen, in another process, without a gap or a double', async () => {
    const witness = await open('stream', url(1));
    const first = await open(way, url(0));
    const { seq: start = 0 } = await ready(first);
    const early = await submit();
    await cancel(early);
    const { seq: last = 0 } = await first.find(isEnd(early));
    first.close();
    const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => submit(owner, url(n % 2))));
    await witness.find(isEnd(early));
    const second = await open(way, url(1), { ...byKey(owner), query: `?after=${last}` });
    // The number that all was told up to, where the connection ends here.
    expect((await ready(second)).seq).toBe(last);
    await Promise.all(ids.map((id, n) => cancel(id, url(n % 2))));
    for (const id of ids) await Promise.all([second.find(isEnd(id)), witness.find(isEnd(id))]);
    expect([...seqs(first), ...seqs(second)]).toEqual(seqs(witness).filter((seq) => seq > start));
    expect(told(second).length).toBe(24);
  });

  test('ends as soon as its key is revoked in another process', async () => {
    const doomed = await cluster.createKey(100, password);
    const session = await signIn(doomed.email, password, url(1));
    const client = await open(way, url(0), byKey(doomed));
    await ready(client);
    const options = { method: 'POST', key: null, headers: { Cookie: session } };
    expect((await call(`/api/keys/${doomed.id}/revoke`, options, url(1))).status).toBe(200);
    expect(await client.find(({ type }) => type === 'end')).toMatchObject({ code: 'key_revoked' });
    expect(await client.closed).toBe(way === 'WebSocket' ? 1008 : 0);
    await expect(open(way, url(0), byKey(doomed))).rejects.toThrow(/401.*key_revoked/);
  });

  test('takes the session cookie, but from no other site’s page, and ends with the session', async () => {
    const own = await signIn(owner.email, password, url(0));
    const foreign = { headers: { Cookie: own, Origin: 'https://elsewhere.example' } };
    await expect(open(way, url(0), foreign)).rejects.toThrow(/403.*forbidden/);
    const client = await open(way, url(0), { headers: { Cookie: own, Origin: url(0) } });
    await ready(client);
    const id = await submit();
    await client.find(({ job }) => job?.id === id);
    const headers = { Cookie: own, Origin: url(1) };
    await call('/api/auth/sign-out', { method: 'POST', key: null, headers, body: {} }, url(1));
    expect(await client.find(({ type }) => type === 'end')).toMatchObject({ code: 'unauthenticated' });
  });
});

test('the first message of a WebSocket may bring the key; nothing is told before', async () => {
  const client = await open('WebSocket', url(0), {});
  client.send({ type: 'auth', key: owner.key });
  client.send({ type: 'subscribe', after: 0 });
  const { seq } = await ready(client);
  const id = await submit();
  await client.find(({ job }) => job?.id === id);
  expect(client.messages[0]).toEqual({ type: 'ready', seq });
  expect(seqs(client)).toEqual([...new Set(seqs(client))].sort((a, b) => a - b));
});

test('who has said who it is waits for the beginning of the feed, however long that takes', async () => {
  // A process that has told nobody anything does not know where the end is.
  await using fresh = await startApiCluster({ processes: 1 });
  const { key } = await fresh.createKey(1_000);
  const client = await open('WebSocket', fresh.apis[0]!.url, {});
  await fresh.db.transaction().execute(async (trx) => {
    await sql`insert into job_events (job_id, user_id, kind) values (${createId()}, ${createId()}, 'accepted')`.execute(
      trx,
    );
    client.send({ type: 'auth', key });
    // One that does nothing is ended.
    for (let n = 0; n < 6; n++) {
      await sleep(1_750);
      await sql`select 1`.execute(trx);
    }
    expect(client.messages.filter(({ type }) => type !== 'heartbeat')).toEqual([]);
  });
  await ready(client);
}, 60_000);

test('who is the first to listen again is told nothing of what happened before', async () => {
  await using fresh = await startApiCluster({ processes: 1 });
  const own = await fresh.createKey(1_000);
  const base = fresh.apis[0]!.url;
  const before = await open('WebSocket', base, byKey(own));
  await ready(before);
  before.close();
  await before.closed;
  const client = await open('WebSocket', base, {});
  await fresh.db.transaction().execute(async (trx) => {
    await sql`insert into job_events (job_id, user_id, kind) values (${createId()}, ${createId()}, 'accepted')`.execute(
      trx,
    );
    await submit(own, base);
    client.send({ type: 'auth', key: own.key });
    await sleep(2_500);
  });
  await ready(client);
  const next = await submit(own, base);
  await client.find(({ job }) => job?.id === next);
  expect(told(client)).toEqual([`accepted ${next}`]);
}, 60_000);

test.each([
  [{ type: 'subscribe' }, 'key_missing'],
  [{ type: 'auth', key: 'svc_live_nonsense' }, 'key_invalid'],
  ['rubbish', 'invalid_request'],
])('who begins a WebSocket with %j is told why it ends', async (message, code) => {
  const client = await open('WebSocket', url(0), {});
  client.send(message);
  expect(await client.find(({ type }) => type === 'end')).toMatchObject({ code });
  expect(await client.closed).toBe(1008);
});

test('a message that is not understood is answered, and the feed goes on', async () => {
  const client = await open('WebSocket', url(0));
  await ready(client);
  client.send({ type: 'subscribe', jobId: createId() });
  await client.find(({ code }) => code === 'not_found');
  client.send({ type: 'subscribe', after: -1 });
  await client.find(({ code }) => code === 'invalid_request');
  const id = await submit();
  await client.find(({ job }) => job?.id === id);
});

test('a WebSocket is heard of while nothing happens', async () => {
  const client = await open('WebSocket', url(0));
  const { seq } = await ready(client);
  expect(await client.find(({ type }) => type === 'heartbeat')).toMatchObject({ seq });
});

test('a subscription to a job begins with its state, and brings no other', async () => {
  const [mine, other] = await Promise.all([submit(), submit()]);
  const client = await open('WebSocket', url(1));
  await ready(client);
  client.send({ type: 'subscribe', jobId: mine });
  const state = await client.find(({ job }) => job?.id === mine);
  expect(state).toMatchObject({ event: 'state', job: { status: 'queued' } });
  await cancel(other);
  await cancel(mine);
  await client.find(isEnd(mine));
  expect(told(client)).toEqual([`state ${mine}`, `canceled ${mine}`]);
});

test('an event whose transaction commits late is told in its place', async () => {
  const id = await submit();
  const client = await open('WebSocket', url(0));
  await isLive(client);
  const insert = (to: typeof cluster.db, kind: string) =>
    sql`insert into job_events (job_id, user_id, kind) values (${id}, ${owner.userId}, ${kind})`.execute(to);
  await cluster.db.transaction().execute(async (trx) => {
    await insert(trx, 'progress');
    await insert(cluster.db, 'resumed');
    await submit();
  });
  await client.find(({ event }) => event === 'resumed');
  const own = client.messages.filter(({ job }) => job?.id === id).map(({ event }) => event);
  expect(own).toEqual(['progress', 'resumed']);
});

test('a Postgres that breaks all connections costs neither an event nor a connection', async () => {
  const id = await submit();
  const clients = await Promise.all([open('WebSocket', url(0)), open('stream', url(1))]);
  await Promise.all(clients.map(isLive));
  // Those who read on from the beginning are in the middle of it.
  const after0 = { ...byKey(owner), query: '?after=0' };
  clients.push(await open('WebSocket', url(1), after0), await open('stream', url(0), after0));
  const inserted: number[] = [];
  await cluster.db.connection().execute(async (own) => {
    for (let n = 0; n < 12; n++) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`.execute(
        own,
      );
      const { rows } = await sql<{ seq: number }>`insert into job_events (job_id, user_id, kind)
        select ${id}, ${owner.userId}, 'progress' from generate_series(1, 20) returning seq`.execute(own);
      inserted.push(...rows.map(({ seq }) => seq));
    }
  });
  const progressOf = ({ messages }: FeedClient) =>
    messages.flatMap(({ event, job, seq }) => (event === 'progress' && job?.id === id ? [seq] : []));
  for (const client of clients)
    await expect.poll(() => progressOf(client), { timeout: 25_000 }).toEqual(inserted);
});

test(
  'a client that does not read is told where to go on, and then misses nothing',
  { timeout: 90_000 },
  async () => {
    const id = await submit();
    const progress = JSON.stringify({ done: 1, total: 2, note: 'x'.repeat(6_000) });
    await sql`update jobs set progress = ${progress}::json, status = 'running' where id = ${id}`.execute(
      cluster.db,
    );
    const client = await open('WebSocket', url(0));
    // On the same process: what it has, the other one was offered.
    const witness = await open('stream', url(0));
    await Promise.all([isLive(client), isLive(witness)]);
    const progressOf = ({ messages }: FeedClient) =>
      messages.filter((message) => message.job?.id === id).map(({ seq }) => seq);
    client.pause();
    const count = 3_000;
    await sql`insert into job_events (job_id, user_id, kind)
    select ${id}, ${owner.userId}, 'progress' from generate_series(1, ${count})`.execute(cluster.db);
    await expect.poll(() => progressOf(witness).length, { timeout: 40_000 }).toBe(count);
    await expect.poll(() => cluster.readLog(), { timeout: 30_000 }).toContain('a feed was not read');
    client.resume();
    const end = await client.find(({ type }) => type === 'end');
    expect(end.code).toBe('too_slow');
    expect(await client.closed).toBe(1013);
    const again = await open('WebSocket', url(1), { ...byKey(owner), query: `?after=${end.seq}` });
    const all = () => [...progressOf(client), ...progressOf(again)];
    await expect.poll(() => all().length, { timeout: 40_000 }).toBe(count);
    expect(all()).toEqual(progressOf(witness));
  },
);

test('numbers that are not kept any more are told as a gap', async () => {
  const client = await open('stream', url(0), { ...byKey(owner), query: '?after=1' });
  await sql`delete from job_events where seq < 5`.execute(cluster.db);
  await ready(client);
  const late = await open('stream', url(0), { ...byKey(owner), query: '?after=1' });
  expect(await late.find(({ type }) => type === 'gap')).toMatchObject({ seq: 4 });
});

test('a number that was never given is told as a gap, and the feed goes on from now', async () => {
  for (const way of ['WebSocket', 'stream'] as const) {
    const client = await open(way, url(0), { ...byKey(owner), query: '?after=999999999999999' });
    const { seq: start } = await ready(client);
    expect(await client.find(({ type }) => type === 'gap')).toMatchObject({ seq: start });
    const id = await submit();
    await client.find(({ job }) => job?.id === id);
  }
});

test('while older events are read again, where to go on from is before them', async () => {
  const unanswered = new Promise<never>(() => undefined);
  const subscriber = new Subscriber({
    listener: { userId: owner.userId, keyId: null, sessionId: null, address: '' },
    channel: { send() {}, bufferedBytes: 0, heartbeat() {}, end() {} },
    origin: '',
    history: {
      seq: 10,
      oldestSeq: () => unanswered,
      newestSeq: () => unanswered,
      read: () => unanswered,
      states: () => unanswered,
    },
    onFailure() {},
    onSlow() {},
  });
  subscriber.begin(10);
  subscriber.subscribe({ after: 3 });
  await expect.poll(() => subscriber.told).toBe(3);
});

test('a process that stops says so, and where another one goes on', async () => {
  const { url: base, process: api } = await cluster.startApi();
  const clients = [await open('WebSocket', base), await open('stream', base)];
  const id = await submit();
  for (const client of clients) await client.find(({ job }) => job?.id === id);
  const exited = once(api, 'exit');
  api.kill('SIGTERM');
  for (const client of clients) {
    const end = await client.find(({ type }) => type === 'end');
    expect(end.code).toBe('stopping');
    const next = await open('WebSocket', url(0), { ...byKey(owner), query: `?after=${end.seq}` });
    await ready(next);
    const later = await submit();
    await next.find(({ job }) => job?.id === later);
    expect(told(next)).not.toContain(`accepted ${id}`);
  }
  expect(await exited).toEqual([0, null]);
});

test.each([
  [{ query: '?after=x' }, /400.*invalid_request/],
  [{ query: '?key=svc_live_x' }, /400.*invalid_request/],
  [{ headers: { 'X-API-Key': 'nonsense' } }, /401.*key_invalid/],
])('%j is refused before anything is opened', async (request, refusal) => {
  const headers = { 'X-API-Key': owner.key, ...(request as FeedRequest).headers };
  await expect(open('WebSocket', url(0), { ...request, headers })).rejects.toThrow(refusal);
  await expect(open('stream', url(0), { ...request, headers })).rejects.toThrow(refusal);
});

test('without the media type of streams the path says what it is', async () => {
  expect(await call('/api/proxy/events', { key: owner.key }, url(0))).toMatchObject({
    status: 406,
    body: { code: 'not_acceptable' },
  });
  expect(await call('/api/proxy/events', { key: null }, url(0))).toMatchObject({
    body: { code: 'key_missing' },
  });
});
