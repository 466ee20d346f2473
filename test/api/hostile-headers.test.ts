import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, scrapePath } from '../support/client.ts';
import { startSite, type Site } from '../support/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

test.each(['type', 'refresh', 'folded'])(
  'a page whose headers are made to be read slowly (%s) is read',
  async (kind) => {
    const url = `${site.origin}/long-header?in=${kind}`;
    const start = performance.now();
    const { status, body } = await call(scrapePath, { body: { url, render: 'http', timeout: 20_000 } });
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({ title: 'Long header', statusCode: 200 });
    // Its worker would have been ended, and the job tried again.
    expect(performance.now() - start).toBeLessThan(5_000);
  },
);

test('a crawl follows none of them for long either', async () => {
  const url = `${site.origin}/long-header?in=refresh`;
  const { status, body } = await call('/api/proxy/web/v1/scrape/links-map', { body: { url, depth: 1 } });
  expect(status).toBe(200);
  expect(body['data'].nodes).toHaveLength(1);
});
