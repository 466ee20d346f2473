import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDb } from '../../src/shared/db/client.ts';
import { call } from '../support/client.ts';
import { type LargeSite, startLargeSite } from '../support/large-site.ts';
import { environmentOf, pidOf } from '../support/processes.ts';
import { type Service, startService } from '../support/service.ts';

const pages = 800;
let service: Service;
let site: LargeSite;
beforeAll(async () => {
  [service, site] = await Promise.all([startService(), startLargeSite(pages, 15)]);
});
afterAll(async () => {
  await service.stop();
  await site[Symbol.asyncDispose]();
});

const request = () => ({
  key: service.key,
  headers: { Prefer: 'respond-async' },
  body: { url: site.origin, depth: 5, limit: 3_000 },
});
const asked = () => [...site.requests.values()].reduce((sum, one) => sum + one, 0);

async function resultOf(id: string): Promise<unknown> {
  const job = async () =>
    (await call(`/api/proxy/jobs/${id}`, { key: service.key }, service.url)).body['data'];
  await expect.poll(async () => (await job()).status, { timeout: 60_000, interval: 200 }).toBe('succeeded');
  return (await job()).result;
}

test('a links map whose worker is killed half-way goes on from there, to the same map', async () => {
  const path = '/api/proxy/web/v1/scrape/links-map';
  const whole = await call(path, request(), service.url);
  const expected = await resultOf(whole.body['data'].id);
  const requests = asked();

  const { body } = await call(path, request(), service.url);
  await expect.poll(() => asked(), { timeout: 30_000, interval: 5 }).toBeGreaterThan(1.5 * requests);
  process.kill(pidOf(service, 'worker-http'), 'SIGKILL');
  expect(await resultOf(body['data'].id)).toEqual(expected);
  expect(asked() - requests).toBeLessThan(1.4 * requests);
  const job = await call(`/api/proxy/jobs/${body['data'].id}`, { key: service.key }, service.url);
  expect(job.body['data'].attempts).toBe(2);
  expect(job.body['data'].progress.done).toBeGreaterThan(pages / 2);
}, 120_000);

test('its pages and their links to other domains are in the link index, each once', async () => {
  const url = environmentOf(service)['DATABASE_URL'] ?? '';
  await using db = createDb({ url, poolSize: 1, onError: () => undefined });
  const links = await db.selectFrom('link_index_links').selectAll().orderBy('to_url').execute();
  expect(links.map((link) => link.to_url)).toEqual(
    [203, 3, 403, 603].map((n) => `https://elsewhere${n}.example.com/page`),
  );
  expect(links[0]).toMatchObject({ to_domain: 'example.com', anchor: 'Elsewhere 203', rel: 'nofollow' });
  const seen = await db
    .selectFrom('link_index_pages')
    .select('title')
    .where('title', 'like', 'Page %')
    .execute();
  expect(seen).toHaveLength(pages);
});
