import { Gauge, Registry } from 'prom-client';
import { queueNames } from '../../shared/operation.ts';
import type { Snapshot } from '../../shared/metrics/share.ts';
import type { ApiDeps } from '../deps.ts';

/** The state of the whole service, as it is at this moment. */
export async function readServiceGauges(deps: Pick<ApiDeps, 'health'>): Promise<Snapshot> {
  const registry = new Registry();
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge<Label>({ name, help, labelNames, registers: [registry] });

  const report = await deps.health.report();
  const up = gauge('quarry_up', 'Whether a part answers: postgres, redis, storage of results.', ['part']);
  for (const part of ['postgres', 'redis', 'storage'] as const) {
    up.set({ part }, report[part] === 'ok' ? 1 : 0);
  }
  if (report.queues === null) return await registry.getMetricsAsJSON();

  const workers = gauge('quarry_queue_workers', 'Worker processes that serve the queue.', ['queue']);
  const waiting = gauge('quarry_queue_waiting_jobs', 'Jobs that wait for a worker.', ['queue']);
  const active = gauge('quarry_queue_active_jobs', 'Jobs that run.', ['queue']);
  const oldest = gauge('quarry_queue_oldest_wait_seconds', 'How long the oldest queued job has waited.', [
    'queue',
  ]);
  const counts = await deps.health.queueCounts().catch(() => null);
  for (const queue of queueNames) {
    const health = report.queues[queue];
    if (health === undefined) continue;
    workers.set({ queue }, health.workers);
    waiting.set({ queue }, health.waiting);
    active.set({ queue }, health.active);
    if (counts !== null) oldest.set({ queue }, counts.get(queue)?.oldestSeconds ?? 0);
  }
  return await registry.getMetricsAsJSON();
}
