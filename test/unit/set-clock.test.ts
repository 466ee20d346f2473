import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBackPressure } from '../../src/api/back-pressure.ts';
import type { ApiDeps } from '../../src/api/deps.ts';
import { createModelAvailability } from '../../src/api/model-availability.ts';
import { waitUntil } from '../../src/embedded/home-lock.ts';
import type { AiSettings } from '../../src/shared/ai/ai-settings.ts';
import { parseModelList } from '../../src/shared/ai/model-list.ts';
import type { EgressDoor, EgressLease } from '../../src/shared/egress/types.ts';
import { createHostSlots } from '../../src/workers/crawl/host-slots.ts';
import { toWalkRequest, type UrlQuestion, walkRedirects } from '../../src/workers/url/walk-redirects.ts';

const hourMs = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** As an operator or NTP does it. */
const setClock = (byMs: number) => void vi.setSystemTime(Date.now() + byMs);

test('a crawl keeps to the delay of a host, whatever the clock is set to', async () => {
  const { signal } = new AbortController();
  const presence = { enter: async () => ({ crawls: 1, slots: 1 }), leave: async () => undefined };
  await using slots = createHostSlots({ presence, crawlId: 'crawl', perHost: 1, signal });
  const ask = () => slots.take('delayed.test', 50, async () => 'asked');
  await ask();
  setClock(-hourMs);
  expect(await ask()).toBe('asked');
});

test('a walk has its time, whatever the clock is set to', async () => {
  const question = { url: 'https://quarry.test/', maxRedirects: 1, timeout: 30_000 } as UrlQuestion;
  const asked = toWalkRequest(question, new AbortController().signal);
  setClock(hourMs);
  const timeouts: number[] = [];
  const lease = {
    async fetch({ url, timeoutMs = 0 }: { url: string; timeoutMs?: number }) {
      timeouts.push(timeoutMs);
      return { url, status: 200, headers: {}, timings: { firstByteMs: 1, headMs: 1 } };
    },
  } as unknown as EgressLease;
  await walkRedirects(lease, { ...asked, method: 'GET', readBody: () => false });
  expect(timeouts).toHaveLength(1);
  expect(timeouts[0]).toBeGreaterThan(1_000);
});

test('a sample of a queue is forgotten, whatever the clock is set to', async () => {
  const jobsDb = new Kysely<never>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      // Answers that nothing is there: the queue is empty.
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const redis = { exists: async () => 0 };
  const enter = createBackPressure(
    { jobsDb, redis, config: { QUEUE_BOUND: 1 }, resultTtlMs: hourMs } as unknown as ApiDeps,
    0,
  );
  (await enter('http'))();
  setClock(-hourMs);
  await vi.waitFor(async () => (await enter('http'))(), { timeout: 20_000, interval: 20 });
});

test('a list of models is kept for a while, whatever the clock is set to', async () => {
  const asked: string[] = [];
  const lease = {
    async fetch({ url }: { url: string }) {
      asked.push(url);
      return { status: 500, body: Buffer.alloc(0) };
    },
    async [Symbol.asyncDispose]() {},
  };
  const provider = { name: 'compatible', baseUrl: 'http://models.test/v1', apiKey: null };
  const availability = createModelAvailability(
    {
      models: parseModelList(['compatible/small']),
      providers: { compatible: provider },
      defaultModelId: 'compatible/small',
    } as unknown as AiSettings,
    { openLease: () => lease } as unknown as EgressDoor,
  );
  await availability.list();
  setClock(hourMs);
  await availability.list();
  expect(asked).toHaveLength(1);
});

test('the start waits as long as it may, whatever the clock is set to', async () => {
  let polls = 0;
  const found = await waitUntil(() => {
    setClock(hourMs);
    polls += 1;
    return polls === 3 ? 'found' : undefined;
  }, 60_000);
  expect(found).toBe('found');
});
