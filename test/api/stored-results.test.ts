import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createId } from '../../src/shared/ids.ts';
import { type ApiCluster, startApiCluster } from '../support/api-cluster.ts';
import { call } from '../support/client.ts';

const web = '/api/proxy/web/v1';
const url = 'https://example.com/';

let cluster: ApiCluster;
let key: string;
beforeAll(async () => {
  // As operators run it: tests check what is answered.
  cluster = await startApiCluster({ processes: 1, env: { NODE_ENV: 'production' } });
  key = (await cluster.createKey(1_000)).key;
});
afterAll(() => cluster[Symbol.asyncDispose]());

const ask = (path: string, options: { body?: unknown; headers?: Record<string, string> } = {}) =>
  call(path, { key, ...options }, cluster.apis[0]?.url);

/** The job that a version with other contracts was asked for, and has ended with this output and empty files. */
async function storeEnded(
  path: string,
  { input = {}, output, files }: { input?: object; output: object; files: Record<string, string> },
): Promise<string> {
  const { body } = await ask(path, { body: { url }, headers: { Prefer: 'respond-async' } });
  const { id } = body['data'];
  const bytes = Buffer.from(JSON.stringify(output));
  const hash = createHash('sha256').update(bytes);
  const kept = Object.entries(files).map(([name, contentType]) => ({
    id: createId(),
    name,
    contentType,
    sizeBytes: 0,
    sha256: '',
    store: 'postgres',
  }));
  await sql`
    with blob as (
      insert into blobs (id, content_type, size_bytes, sha256, bytes)
      values (${createId()}, 'application/json', ${bytes.length}, ${hash.digest()}, ${bytes})
      returning id
    )
    update jobs set
      status = 'succeeded', input = (input::jsonb || ${JSON.stringify(input)}::jsonb)::json, result_blob_id = blob.id,
      files = ${JSON.stringify(kept)}::json, finished_at = now(), expires_at = now() + interval '1 hour'
    from blob where jobs.id = ${id}`.execute(cluster.db);
  return id;
}

describe('a result that today’s contract would refuse is shown as it is stored', () => {
  test('of a screenshot', async () => {
    const id = await storeEnded(`${web}/screenshot`, {
      output: { finalUrl: url, title: 7, format: 'png', width: 0.5, height: 720, bytes: 0, sha256: '' },
      files: { 'screenshot.png': 'image/png' },
    });
    const [byId, job] = await Promise.all([ask(`${web}/screenshot/${id}`), ask(`/api/proxy/jobs/${id}`)]);
    expect(byId.status, JSON.stringify(byId.body)).toBe(200);
    expect(byId.body['data']).toMatchObject({ title: 7, width: 0.5, statusCode: null, truncated: null });
    expect(job.body['data'].result).toMatchObject({ title: 7, width: 0.5 });
  });

  test('of a review, also in its comparison and as its screenshot', async () => {
    const names = ['overall', 'performance', 'accessibility', 'bestPractices', 'seo', 'security', 'content'];
    const id = await storeEnded(`${web}/review`, {
      input: { runs: 9 },
      output: {
        finalUrl: url,
        scores: Object.fromEntries(names.map((name) => [name, 1_000])),
        scoring: { formula: '', weights: { layout: 100 } },
        metrics: { lcpMs: -1 },
        issues: [{ id: 'x', category: 'layout', severity: 'grave', evidenceTotal: 0.5 }],
        screenshot: { width: 0.5, height: 1 },
      },
      files: { 'report.html': 'text/html', 'screenshot.jpeg': 'image/jpeg' },
    });
    const shown = { title: null, scores: { overall: 1_000 }, spread: null, passed: null };
    const paths = [`${web}/review/${id}`, `${web}/review/${id}?against=${id}`, `/api/proxy/jobs/${id}`];
    for (const path of paths) {
      const { status, body } = await ask(path);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(body['data'].result ?? body['data']).toMatchObject(shown);
    }
    const { status, body } = await ask(`${web}/screenshot/${id}`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body['data']).toMatchObject({
      title: '',
      statusCode: null,
      width: 0.5,
      options: { runs: 9 },
    });
  });
});
