import type { Logger } from 'pino';
import type { WorkerConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { noTracing, type Tracing } from './tracing.ts';

export type TracingSettings = Pick<
  WorkerConfig,
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_HEADERS'
  | 'OTEL_SERVICE_NAME'
  | 'OTEL_TRACES_SAMPLER_ARG'
  | 'EGRESS_PROXY'
  | 'LOG_LEVEL'
>;

/** Nothing is loaded where no traces are wanted. @param role of this process. */
export async function startTracing(
  settings: TracingSettings,
  role: 'api' | 'worker',
  log?: Logger,
): Promise<Tracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === undefined) return noTracing;
  const { createTracing } = await import('./opentelemetry.ts');
  return createTracing(
    { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    role,
    log ?? createLog({ level: settings.LOG_LEVEL, name: role }),
  );
}
