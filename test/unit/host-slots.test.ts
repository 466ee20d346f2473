import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHome } from '../../src/embedded/home.ts';
import { startRedis } from '../../src/embedded/redis.ts';
import { createHostSlots, type HostPresence, type HostSlots } from '../../src/workers/crawl/host-slots.ts';
import { createRedisPresence } from '../../src/workers/crawl/redis-presence.ts';

const perHost = 8;
const folder = mkdtempSync(join(tmpdir(), 'quarry-slots-'));
let server: Awaited<ReturnType<typeof startRedis>>;
let redis: Redis;
let presence: HostPresence;
beforeAll(async () => {
  server = await startRedis(openHome({ QUARRY_HOME: folder }), process.env);
  redis = new Redis(server.url);
  presence = createRedisPresence(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A host that counts who is at it. */
function createHost(answerMs: number) {
  const host = { now: 0, busiest: 0, answered: 0 };
  const ask = async () => {
    host.busiest = Math.max(host.busiest, ++host.now);
    await sleep(answerMs);
    host.now--;
    host.answered++;
  };
  const crawl = (slots: HostSlots, name: string, requests: number) =>
    Promise.all(Array.from({ length: requests }, () => slots.take(name, 0, ask)));
  return Object.assign(host, { crawl });
}

const open = (crawlId: string, through = presence) =>
  createHostSlots({ presence: through, crawlId, perHost, signal: new AbortController().signal });

test('a crawl alone has all slots of a host', async () => {
  const host = createHost(20);
  await using slots = open('alone');
  await host.crawl(slots, 'alone.test', 60);
  expect(host.busiest).toBe(perHost);
});

test('newcomers add one each, also where the first crawl hears of them late', async () => {
  const host = createHost(20);
  let isLate = false;
  const late: HostPresence = {
    async enter(...asked) {
      if (isLate) await sleep(2_000);
      isLate = true;
      return await presence.enter(...asked);
    },
    leave: presence.leave,
  };
  await using first = open('first', late);
  await using second = open('second');
  await using third = open('third');
  const crawls = [host.crawl(first, 'late.test', 800)];
  await sleep(100);
  crawls.push(host.crawl(second, 'late.test', 60), host.crawl(third, 'late.test', 60));
  await Promise.all(crawls);
  expect(host.busiest).toBeLessThanOrEqual(perHost + 2);
  expect(host.answered).toBe(920);
});

test('slow requests keep their slots from the others', async () => {
  const host = createHost(1_500);
  await using first = open('first');
  await using second = open('second');
  const crawls = [host.crawl(first, 'slow.test', 16)];
  await sleep(50);
  crawls.push(host.crawl(second, 'slow.test', 4));
  await Promise.all(crawls);
  expect(host.busiest).toBeLessThanOrEqual(perHost + 1);
});

test('a host that is done with is left: nothing tells of it any more', async () => {
  const at = new Set<string>();
  const told: string[] = [];
  const watched: HostPresence = {
    async enter(host) {
      at.add(host);
      told.push(host);
      return { crawls: 1, slots: perHost };
    },
    leave: async (host) => void at.delete(host),
  };
  await using slots = open('wide', watched);
  await Promise.all(
    Array.from({ length: 500 }, (_, n) => slots.take(`sub-${n}.test`, 0, async () => undefined)),
  );
  await expect.poll(() => at.size, { timeout: 20_000 }).toBe(0);
  const before = told.length;
  await slots.take('sub-1.test', 0, async () => undefined);
  expect(told.slice(before)).toEqual(['sub-1.test']);
});

test('a request whose time is over leaves its place to those behind it', async () => {
  const one: HostPresence = { enter: async () => ({ crawls: 1, slots: 1 }), leave: async () => undefined };
  await using slots = open('delayed', one);
  const until = new AbortController();
  const asked = new Map<string, number>();
  const take = (name: string, signal?: AbortSignal) =>
    slots.take('delayed.test', 300, async () => void asked.set(name, Date.now()), signal);
  await take('first');
  // The first of these waits for its time, the others for the slot.
  const givenUp = ['a', 'b', 'c'].map((name) => take(name, until.signal));
  const behind = take('behind');
  until.abort(new Error('over'));
  expect((await Promise.allSettled(givenUp)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  await behind;
  expect([...asked.keys()]).toEqual(['first', 'behind']);
  expect((asked.get('behind') ?? 0) - (asked.get('first') ?? 0)).toBeGreaterThan(250);
});
