import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test, vi } from 'vitest';
import type { ApiDeps } from '../../src/api/deps.ts';
import type { ApiContext } from '../../src/api/http/context.ts';
import { serveMetrics } from '../../src/api/metrics/serve-metrics.ts';
import { call, scrapePath } from '../support/client.ts';
import { startSite } from '../support/site.ts';

const dashboard = join(import.meta.dirname, '../../deploy/grafana-dashboard.json');

async function readMetrics(headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(new URL('/metrics', inject('stack').url), { headers });
}

/** The values of a metric's series that carry all of the labels. */
function valuesOf(text: string, name: string, labels: Record<string, string> = {}): number[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
}

describe('/metrics', () => {
  beforeAll(async () => {
    const site = await startSite();
    await call(scrapePath, { body: { url: `${site.origin}/` } });
    await call(scrapePath, { body: { url: 'nowhere' } });
    await site.close();
  });

  test('counts requests by operation and code', async () => {
    const response = await readMetrics();
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0.0.4/);
    const text = await response.text();
    const of = { operation: 'web.scrape' };
    expect(
      valuesOf(text, 'quarry_http_requests_total', { ...of, status: '200', code: '' })[0],
    ).toBeGreaterThan(0);
    const refused = { ...of, status: '400', code: 'invalid_request' };
    expect(valuesOf(text, 'quarry_http_requests_total', refused)[0]).toBeGreaterThan(0);
    expect(valuesOf(text, 'quarry_http_request_duration_seconds_count', of)[0]).toBeGreaterThan(1);
    expect(valuesOf(text, 'quarry_allowance_uses_total', { outcome: 'taken' })[0]).toBeGreaterThan(0);
  });

  test('tells the state of the service', async () => {
    let text = '';
    const workers = async () => {
      text = await (await readMetrics()).text();
      return valuesOf(text, 'quarry_queue_workers', { queue: 'browser' });
    };
    await expect.poll(workers, { timeout: 30_000 }).toEqual([1]);
    for (const part of ['postgres', 'redis', 'storage'])
      expect(valuesOf(text, 'quarry_up', { part })).toEqual([1]);
    expect(valuesOf(text, 'quarry_queue_waiting_jobs', { queue: 'http' })).toHaveLength(1);
    expect(valuesOf(text, 'quarry_queue_oldest_wait_seconds', { queue: 'http' })[0]).toBeGreaterThanOrEqual(
      0,
    );
  });

  test('answers for the workers too, each process with series of its own', async () => {
    await vi.waitFor(
      async () => {
        const text = await (await readMetrics()).text();
        const ran = { role: 'worker', operation: 'web.scrape' };
        expect(valuesOf(text, 'quarry_job_run_seconds_count', ran)[0]).toBeGreaterThan(0);
        expect(valuesOf(text, 'quarry_job_wait_seconds_count', ran)[0]).toBeGreaterThan(0);
        expect(valuesOf(text, 'quarry_jobs_ended_total', { ...ran, status: 'succeeded' })[0]).toBeGreaterThan(
          0,
        );
        expect(
          valuesOf(text, 'quarry_egress_connections_total', { role: 'worker', result: 'ok' })[0],
        ).toBeGreaterThan(0);
        expect(valuesOf(text, 'process_resident_memory_bytes').length).toBeGreaterThanOrEqual(3);
        expect(valuesOf(text, 'quarry_browsers_running')).toHaveLength(1);
      },
      { timeout: 15_000, interval: 250 },
    );
  });

  test('what comes through a proxy is refused where there is no token', async () => {
    const response = await readMetrics({ 'X-Forwarded-For': '203.0.113.9' });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      code: 'forbidden',
      detail: expect.stringMatching(/METRICS_TOKEN/),
    });
  });

  test.each([{ PUBLIC_URL: 'https://quarry.example' }, { TRUSTED_PROXIES: ['127.0.0.1'] }])(
    'nor what may have come through one, as %o says',
    async (settings) => {
      const serve = serveMetrics({ config: { TRUSTED_PROXIES: [], ...settings } } as unknown as ApiDeps);
      const ctx = { req: { socket: { remoteAddress: '127.0.0.1' } }, get: () => '' } as unknown as ApiContext;
      await expect(serve(ctx)).rejects.toMatchObject({ code: 'forbidden' });
    },
  );

  test('every metric of the dashboard is there', async () => {
    const text = await (await readMetrics()).text();
    const named = new Set((await readFile(dashboard, 'utf8')).match(/\b(quarry|process|nodejs)_[a-z0-9_]+/g));
    const known = new Set(Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name));
    const missing = [...named].filter((name) => !known.has(name.replace(/_bucket$/, '')));
    expect(missing).toEqual([]);
  });
});
