import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFeed } from '../../src/api/feed/feed.ts';
import type { FeedMessage } from '../../src/api/feed/messages.ts';
import { readSettledEvents } from '../../src/shared/jobs/events.ts';
import { findJobsWithSmallResult, listJobs } from '../../src/shared/jobs/find-jobs.ts';
import { createLog } from '../../src/shared/log.ts';
import { createRedis } from '../../src/shared/redis.ts';
import { type ApiCluster, type OwnedKey, startApiCluster } from '../support/api-cluster.ts';
import { call, scrapePath } from '../support/client.ts';
import { openWebSocket } from '../support/feed-client.ts';

let cluster: ApiCluster;
let owner: OwnedKey;
beforeAll(async () => {
  cluster = await startApiCluster({ processes: 1 });
  owner = await cluster.createKey(100_000);
});
afterAll(() => cluster[Symbol.asyncDispose]());

async function submit(): Promise<string> {
  const options = {
    key: owner.key,
    body: { url: 'https://example.com/' },
    headers: { Prefer: 'respond-async' },
  };
  return (await call(scrapePath, options, cluster.apis[0]!.url)).body['data'].id as string;
}

test('what a job was asked is not read for a list, nor where there is no result to be shown with it', async () => {
  const id = await submit();
  const { jobs } = await listJobs(cluster.db, { userId: owner.userId, limit: 100 });
  expect(jobs.find((job) => job.id === id)).not.toHaveProperty('input');
  expect((await findJobsWithSmallResult(cluster.db, [id], 1_000)).get(id)).toMatchObject({ id, input: null });
});

test('events of one job are found without reading all of its user’s', async () => {
  const [mine] = await Promise.all([submit(), submit(), submit()]);
  const range = { after: 0, upTo: 1e15, userIds: [owner.userId], jobId: mine, limit: 100 };
  const events = await readSettledEvents(cluster.db, range);
  expect(new Set(events.map(({ jobId }) => jobId))).toEqual(new Set([mine]));
  const { rows } = await sql<{ 'QUERY PLAN': string }>`explain select seq from job_events
    where job_id = ${mine} and seq > 0 order by seq limit 100`.execute(cluster.db);
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('job_events_job');
});

test('a connection that was ended counts until its socket is closed', async () => {
  const redis = createRedis({
    urls: [cluster.redisUrl],
    isCluster: false,
    onError: () => undefined,
    blocking: true,
  });
  const feed = createFeed({
    db: cluster.db,
    subscriber: redis,
    presenter: {
      present() {
        throw new Error('nothing is told here');
      },
    },
    log: createLog({ level: 'silent', name: 'test' }),
    heartbeatMs: 60_000,
  });
  const listener = { userId: owner.userId, keyId: owner.id, sessionId: null, address: '127.0.0.1' };
  const sent: FeedMessage[] = [];
  const channel = {
    send: (messages: readonly FeedMessage[]) => void sent.push(...messages),
    bufferedBytes: 0,
    heartbeat() {},
    end() {},
  };
  const open = () => feed.open(listener, channel, { origin: '', after: undefined });
  try {
    const [first] = await Promise.all(Array.from({ length: 200 }, open));
    await expect(open()).rejects.toMatchObject({ code: 'overloaded' });
    feed.end(first!, 'too_slow', '', 'slow');
    await expect(open()).rejects.toMatchObject({ code: 'overloaded' });
    feed.close(first!);
    await open();
  } finally {
    await feed[Symbol.asyncDispose]();
    redis.disconnect();
  }
});

test('a client that is refused for what it sends is told where it was', async () => {
  const client = await openWebSocket(cluster.apis[0]!.url, { headers: { 'X-API-Key': owner.key } });
  const { seq } = await client.find(({ type }) => type === 'ready');
  for (let n = 0; n < 40; n++) client.send({ type: 'subscribe', after: 0 });
  const end = await client.find(({ type }) => type === 'end');
  expect(end.code).toBe('invalid_request');
  expect(end.seq).toBeLessThanOrEqual(seq!);
  expect(await client.closed).toBe(1008);
});
