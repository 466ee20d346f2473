import type { Logger } from 'pino';
import { createLog } from '../log.ts';
import type { TracingSettings } from './opentelemetry.ts';
import { noTracing, type Tracing } from './tracing.ts';

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
