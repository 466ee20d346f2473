import { expect, inject, test } from 'vitest';
import { createRedis } from '../../src/shared/redis.ts';
import { announceWorker, countWorkers } from '../../src/shared/jobs/worker-registry.ts';
import { call } from '../support/client.ts';
import { environmentOf } from '../support/processes.ts';
import { createTestKey } from '../support/service.ts';

interface Capability {
  id: string;
  route: { method: string; path: string };
  available: boolean | null;
  reason: string | null;
  needs: string[];
}

const path = '/api/proxy/capabilities';

async function listCapabilities(key = inject('stack').key): Promise<Map<string, Capability>> {
  const { status, body } = await call(path, { key });
  expect(status).toBe(200);
  const operations = body['data'].operations as Capability[];
  return new Map(operations.map((operation) => [operation.id, operation]));
}

test('what works says so, with its route', async () => {
  const found = await listCapabilities();
  for (const id of ['web.scrape', 'web.screenshot', 'web.summarize-url', 'video.info', 'jobs.get']) {
    expect(found.get(id), id).toMatchObject({ available: true, reason: null, needs: [] });
  }
  expect(found.get('web.scrape')?.route).toEqual({ method: 'POST', path: '/api/proxy/web/v1/scrape' });
  expect([...found.keys()].filter((id) => id.startsWith('page.') || id.startsWith('admin.'))).toEqual([]);
});

test('what an operator has not set names the variable, and agrees with the call itself', async () => {
  const found = await listCapabilities();
  const difficulty = found.get('web.seo-insights-keyword-difficulty');
  expect(difficulty?.available).toBe(false);
  expect(difficulty?.needs).toContain('SEARXNG_URL');
  const asked = await call(difficulty?.route.path ?? '', { body: { keyword: 'quarry', country: 'CH' } });
  expect(asked.body).toMatchObject({ status: 503, code: 'not_configured' });
});

test('needs a key, and takes nothing of its allowance', async () => {
  expect((await call(path, { key: null })).body).toMatchObject({ status: 401, code: 'key_missing' });
  const { key } = await createTestKey(inject('stack').home, 'tiny');
  for (let times = 0; times < 5; times++) await listCapabilities(key);
  const { body } = await call('/api/keys/validate', { method: 'POST', key });
  expect(body['remaining']).toBe(3);
});

test('workers tell which programs they have not found', async () => {
  const { REDIS_URL = '' } = environmentOf(inject('stack'));
  await using closing = new AsyncDisposableStack();
  const redis = closing.adopt(
    createRedis({ urls: [REDIS_URL], isCluster: false, onError: () => undefined }),
    (it) => it.disconnect(),
  );
  await redis.connect();
  const before = await countWorkers(redis, 'video');
  closing.use(announceWorker(redis, [{ queue: 'video', lacks: ['FFMPEG_PATH'] }], 'a-test'));
  await expect.poll(() => countWorkers(redis, 'video')).toBe(before + 1);
  expect(await countWorkers(redis, 'video', 'FFMPEG_PATH')).toBe(1);
  // Another one has it.
  expect((await listCapabilities()).get('video.screenshot')?.available).toBe(true);
});
