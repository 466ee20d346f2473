import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { expireChildren, expireResults } from '../../src/shared/jobs/transitions/expire.ts';
import { type Answer, call, scrapePath } from '../support/client.ts';
import { environmentOf } from '../support/processes.ts';
import { type Site, startSite } from '../support/site.ts';
import { answerSlow } from '../support/site/network.ts';

/** What Postgres holds of what clients send for their targets, and of pages that are not to be stored. */

let site: Site;
let db: Db;
beforeAll(async () => {
  site = await startSite();
  const url = environmentOf(inject('stack'))['DATABASE_URL'] ?? '';
  db = createDb({ url, poolSize: 2, onError: () => undefined });
});
afterAll(async () => {
  await db?.destroy();
  await site?.close();
});

/** The job and its parts as `pg_dump` would write them, with their results. */
async function dumpOf(id: string): Promise<{ text: string; sealed: number }> {
  const { rows } = await sql<{ line: string; sealed: boolean }>`
    select jobs::text || coalesce(convert_from(blobs.bytes, 'utf8'), '') as line, secrets is not null as sealed
    from jobs left join blobs on blobs.id = result_blob_id
    where jobs.id = ${id} or parent_id = ${id}`.execute(db);
  return { text: rows.map(({ line }) => line).join('\n'), sealed: rows.filter((it) => it.sealed).length };
}

/** Once it has ended. */
async function jobOf(id: string): Promise<Answer['body']> {
  const ask = async () => (await call(`/api/proxy/jobs/${id}`)).body['data'] as Record<string, unknown>;
  await expect.poll(async () => (await ask())['finishedAt'], { timeout: 60_000 }).not.toBeNull();
  return await ask();
}

describe('headers and cookies of a request', () => {
  test.each(['http', 'browser'])(
    'lie sealed while the job lives, and nowhere after (%s)',
    async (render) => {
      const [header, cookie] = [randomUUID(), randomUUID()];
      const url = `${site.origin}/slow?wait=25000&once=${randomUUID()}`;
      const { body } = await call(scrapePath, {
        body: { url, render, headers: { Authorization: `Bearer ${header}` }, cookies: { session: cookie } },
        headers: { Prefer: 'respond-async' },
      });
      const { id } = body['data'] as { id: string };
      const reached = () => site.requests.find((one) => site.origin + one.path === url);
      await expect.poll(reached, { timeout: 60_000, interval: 20 }).toBeDefined();
      expect(reached()?.headers).toMatchObject({
        authorization: `Bearer ${header}`,
        cookie: `session=${cookie}`,
      });
      const live = await dumpOf(id);
      expect(live.sealed).toBe(render === 'http' ? 1 : 2);
      expect(live.text).not.toContain(header);
      expect(live.text).not.toContain(cookie);

      answerSlow();
      expect(await jobOf(id)).toMatchObject({ status: 'succeeded' });
      const ended = await dumpOf(id);
      expect(ended.sealed).toBe(0);
      expect(ended.text).toContain(url);
      await call(`/api/proxy/jobs/${id}`, { method: 'DELETE' });
      expect((await dumpOf(id)).text).not.toContain(url);
    },
    120_000,
  );

  test('are gone when the job is canceled', async () => {
    const secret = randomUUID();
    const { body } = await call(scrapePath, {
      body: { url: `${site.origin}/slow?wait=20000`, render: 'http', headers: { 'X-Own': secret } },
      headers: { Prefer: 'respond-async' },
    });
    const { id } = body['data'] as { id: string };
    expect((await dumpOf(id)).sealed).toBe(1);
    await call(`/api/proxy/jobs/${id}`, { method: 'DELETE' });
    expect((await dumpOf(id)).sealed).toBe(0);
  });
});

describe('store: false', () => {
  const words = (answer: Answer<Record<string, any>>) => String(answer.body['data'].html).slice(0, 200);

  test.each(['http', 'browser'])(
    'keeps neither page nor request once the answer was sent (%s)',
    async (render) => {
      const url = `${site.origin}/article?once=${randomUUID()}`;
      const answer = await call(scrapePath, { body: { url, render, store: false } });
      expect(answer.status).toBe(200);
      const id = answer.headers.get('x-job-id') ?? '';
      await expect.poll(async () => (await dumpOf(id)).text, { timeout: 15_000 }).not.toContain(url);
      expect((await dumpOf(id)).text).not.toContain(words(answer));
      expect(await jobOf(id)).toMatchObject({ status: 'expired' });
      const again = await call(scrapePath, { body: { url, render: 'http', maxAge: 60_000 } });
      expect(again.body['meta'].cache.state).toBe('miss');
    },
  );

  test('of a list nothing is left either, nor of its parts', async () => {
    const urls = [1, 2].map(() => `${site.origin}/article?once=${randomUUID()}`);
    const answer = await call('/api/proxy/web/v1/scrape/urls', {
      body: { urls, render: 'http', store: false },
    });
    expect(answer.body['data']).toMatchObject({ succeeded: 2 });
    const id = answer.headers.get('x-job-id') ?? '';
    await expect.poll(async () => (await dumpOf(id)).text, { timeout: 15_000 }).not.toContain(urls[0]);
    expect((await dumpOf(id)).text).not.toContain(urls[1]);
  });

  test('what was not sent can be had by its id for ten minutes', async () => {
    const url = `${site.origin}/article?once=${randomUUID()}`;
    const body = { url, render: 'http', store: false };
    const { body: accepted } = await call(scrapePath, { body, headers: { Prefer: 'respond-async' } });
    const ended = await jobOf(accepted['data'].id);
    expect(ended).toMatchObject({ status: 'succeeded', result: { finalUrl: url } });
    const kept = Date.parse(String(ended['expiresAt'])) - Date.parse(String(ended['finishedAt']));
    expect(kept).toBe(600_000);
  });

  test('what such a result was made of goes with it', async () => {
    const url = `${site.origin}/article?once=${randomUUID()}`;
    const body = { url, render: 'browser', store: false };
    const { body: accepted } = await call(scrapePath, { body, headers: { Prefer: 'respond-async' } });
    const { id } = accepted['data'] as { id: string };
    await jobOf(id);
    expect((await dumpOf(id)).text).toContain('How slate is split');
    await db
      .updateTable('jobs')
      .set({ expires_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute();
    while ((await expireResults(db)) + (await expireChildren(db)) > 0);
    // Workers of the stack may sweep too.
    await expect.poll(async () => (await dumpOf(id)).text).not.toContain(url);
    expect((await dumpOf(id)).text).not.toContain('How slate is split');
  });
});
