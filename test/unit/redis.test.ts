import { expect, test } from 'vitest';
import { createId } from '../../src/shared/ids.ts';
import { channels, listenForCancellations, listenForChanges } from '../../src/shared/jobs/announcer.ts';
import { createDispatcher } from '../../src/shared/jobs/dispatcher.ts';
import { createLog } from '../../src/shared/log.ts';
import { createRedis, isRedisAway, type RedisOptions } from '../../src/shared/redis.ts';
import { bulk, startRedisStandIn } from '../support/redis-stand-in.ts';

test.each([
  "OOM command not allowed when used memory > 'maxmemory'. script: 2cb0, on @user_script:30.",
  'ERR Error running script (call to f_2cb0): @user_script:30: @user_script: 30: -OOM command not allowed when used memory',
  'MISCONF Errors writing to the AOF file: No space left on device',
  "READONLY You can't write against a read only replica.",
  'NOREPLICAS Not enough good replicas to write.',
  'LOADING Redis is loading the dataset in memory',
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  'NOAUTH Authentication required.',
  'ERR max number of clients reached',
  'connect ETIMEDOUT',
  'connect ENOENT /home/of/redis/socket',
  'connect EAGAIN /home/of/redis/socket',
  'CLUSTERDOWN The cluster is down',
  'Too many Cluster redirections. Last error: Error: Connection is closed.',
  "Cluster isn't ready and enableOfflineQueue options is false",
])('a Redis that says %j cannot work now', (message) => {
  expect(isRedisAway(new Error(message))).toBe(true);
});

test.each(['WRONGTYPE Operation against a key holding the wrong kind of value', 'ERR unknown command'])(
  'a Redis that says %j was asked something wrong',
  (message) => {
    expect(isRedisAway(new Error(message))).toBe(false);
  },
);

test('the log of an error of Redis leaves out the command, which may be a script or a password', () => {
  let lines = '';
  const log = createLog({ level: 'info', name: 'test', write: (line) => void (lines += line) });
  const command = { name: 'auth', args: ['open sesame'] };
  log.warn({ err: Object.assign(new Error('WRONGPASS'), { command }) }, 'redis');
  expect(lines).toContain('WRONGPASS');
  expect(lines).not.toContain('sesame');
});

function clientOf(disposables: DisposableStack, options: Omit<RedisOptions, 'onError'>) {
  return disposables.adopt(createRedis({ onError: () => undefined, ...options }), (it) => it.disconnect());
}

test('the wait for a Redis Cluster ends with it where it was failing at first, also of a connection of BullMQ', async () => {
  let states = ['fail', 'fail'];
  await using cluster = await startRedisStandIn(([name = '', what = ''], port) => {
    if (name === 'info') return bulk('redis_version:7.2.0\r\nloading:0\r\n');
    if (name !== 'cluster') return '+OK\r\n';
    if (what.toLowerCase() === 'info') return bulk(`cluster_state:${states.pop() ?? 'ok'}\r\n`);
    return `*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n${bulk('127.0.0.1')}:${port}\r\n${bulk('id')}`;
  });
  using disposables = new DisposableStack();
  const redis = clientOf(disposables, {
    urls: [cluster.url],
    isCluster: true,
    blocking: true,
    forQueues: true,
  });
  await redis.connect();
  expect(states).toEqual([]);
  states = ['fail'];
  const own = disposables.adopt(redis.duplicate(), (it) => it.disconnect());
  await own.connect();
  expect(own.status).toBe('ready');
  const ended = own.connect().catch(String);
  expect(await ended).toMatch('already');
  own.disconnect();
  await expect.poll(() => own.status).toBe('end');
  states = ['fail'];
  await own.connect();
  expect(own.status).toBe('ready');
});

test('rows are dispatched though Redis has left the first questions of their queues unanswered', async () => {
  let asked = 0;
  await using server = await startRedisStandIn(([name = '']) => {
    if (name.startsWith('eval')) return bulk('id');
    // That of the connection itself is the first.
    if (name === 'info') return asked++ > 0 ? null : bulk('redis_version:7.2.0\r\nloading:0\r\n');
    return '+OK\r\n';
  });
  using disposables = new DisposableStack();
  const redis = clientOf(disposables, { urls: [server.url], isCluster: false });
  await redis.connect();
  const dispatcher = createDispatcher(redis);
  const row = { id: createId(), queue: 'http' as const, generation: 0, crashes: 0 };
  await dispatcher.dispatch([row]);
});

/** A Redis that announces something as soon as it has let a client subscribe. @param refuses told how often it was asked. */
const startAnnouncing = (refuses: (asked: number) => boolean) => {
  let asked = 0;
  return startRedisStandIn(([name = '', ...args]) => {
    if (name === 'info') return bulk('redis_version:7.2.0\r\nloading:0\r\n');
    if (name !== 'subscribe') return '+OK\r\n';
    if (refuses(++asked)) return '-BUSY Redis is busy running a script.\r\n';
    const [channel = ''] = args;
    const said = channel === channels.events ? 'user:job' : 'job';
    return `*3\r\n${bulk('subscribe')}${bulk(channel)}:1\r\n*3\r\n${bulk('message')}${bulk(channel)}${bulk(said)}`;
  });
};

const silent = createLog({ level: 'silent', name: 'test' });

test('announcements are heard after Redis has refused the subscription, of a first connection and of a later one', async () => {
  // Each connection's first.
  await using server = await startAnnouncing((asked) => asked % 2 === 1);
  using disposables = new DisposableStack();
  const subscriber = clientOf(disposables, { urls: [server.url], isCluster: false, blocking: true });
  const heard: string[] = [];
  listenForCancellations(subscriber, silent, (id) => heard.push(id));
  await expect.poll(() => heard.length, { timeout: 30_000 }).toBeGreaterThan(0);
  const before = heard.length;
  subscriber.disconnect(true);
  await expect.poll(() => heard.length, { timeout: 30_000 }).toBeGreaterThan(before);
}, 70_000);

test('announcements are heard where somebody begins to listen while the connection is being made', async () => {
  await using server = await startAnnouncing(() => false);
  using disposables = new DisposableStack();
  const subscriber = clientOf(disposables, { urls: [server.url], isCluster: false, blocking: true });
  const heard = new Set<string>();
  listenForCancellations(subscriber, silent, (id) => heard.add(id));
  // It can be written to by then, and is not ready yet.
  subscriber.once('connect', () =>
    listenForChanges(subscriber, silent, ([job]) => heard.add(job?.userId ?? '')),
  );
  await expect.poll(() => [...heard].toSorted(), { timeout: 30_000 }).toEqual(['job', 'user']);
}, 40_000);
