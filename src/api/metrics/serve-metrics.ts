import { createHash, timingSafeEqual } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../../shared/config.ts';
import { AppError } from '../../shared/errors.ts';
import { readShared } from '../../shared/metrics/share.ts';
import type { ApiDeps } from '../deps.ts';
import type { ApiContext } from '../http/context.ts';
import { readServiceGauges } from './service-gauges.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();

function isOnThisMachine(ctx: ApiContext): boolean {
  const address = ctx.req.socket.remoteAddress ?? '';
  if (!ipaddr.isValid(address) || ipaddr.process(address).range() !== 'loopback') return false;
  // A reverse proxy on this machine passes on what others ask.
  return ['Forwarded', 'X-Forwarded-For', 'X-Real-IP', 'Via'].every((name) => ctx.get(name) === '');
}

type MetricsAccess = Pick<Config, 'METRICS_TOKEN' | 'PUBLIC_URL' | 'TRUSTED_PROXIES'>;

/** @throws AppError `forbidden` */
function refuseStrangers(ctx: ApiContext, config: MetricsAccess): void {
  const { METRICS_TOKEN: token } = config;
  if (token === undefined) {
    // A proxy may leave no trace in a request.
    const isBehindProxy = config.PUBLIC_URL !== undefined || config.TRUSTED_PROXIES.length > 0;
    if (!isBehindProxy && isOnThisMachine(ctx)) return;
    throw new AppError(
      'forbidden',
      'Without METRICS_TOKEN metrics are available from this machine only, and not at all behind a proxy. The operator sets METRICS_TOKEN to open them.',
    );
  }
  const sent = /^Bearer +(\S+)$/i.exec(ctx.get('Authorization').trim())?.[1] ?? '';
  if (timingSafeEqual(digest(sent), digest(token))) return;
  throw new AppError('forbidden', 'Metrics need the header Authorization: Bearer <METRICS_TOKEN>.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="quarry metrics"' },
  });
}

/** `GET /metrics`: those of all processes, each with its labels `role` and `process`, and the state of the service. */
export function serveMetrics(deps: ApiDeps) {
  const { config, log, metrics, redis } = deps;
  return async (ctx: ApiContext): Promise<void> => {
    refuseStrangers(ctx, config);
    const [own, others, service] = await Promise.all([
      metrics.registry.getMetricsAsJSON(),
      readShared(redis, metrics).catch((error: unknown) => {
        log.warn({ err: error }, 'metrics of the other processes cannot be read');
        return [];
      }),
      readServiceGauges(deps),
    ]);
    const all = AggregatorRegistry.aggregate([own, ...others, service]);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = await all.metrics();
    ctx.set('Content-Type', all.contentType);
  };
}
