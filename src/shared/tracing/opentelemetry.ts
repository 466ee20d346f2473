import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { WorkerConfig } from '../config.ts';
import { AppError } from '../errors.ts';
import { version } from '../version.ts';
import { createOtlpExporter } from './otlp-exporter.ts';
import { noSpan, type Tracing } from './tracing.ts';

export type TracingSettings = Pick<
  WorkerConfig,
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_HEADERS'
  | 'OTEL_SERVICE_NAME'
  | 'OTEL_TRACES_SAMPLER_ARG'
  | 'EGRESS_PROXY'
  | 'LOG_LEVEL'
>;

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT } as const;
const exportEveryMs = 2_000;
const exportTimeoutMs = 6_000;

/** Traces that are sent to a collector. */
export function createTracing(
  settings: TracingSettings & { OTEL_EXPORTER_OTLP_ENDPOINT: URL },
  role: 'api' | 'worker',
  log: Logger,
): Tracing {
  const under = new AsyncLocalStorage<OtelSpan | null>();
  const exporter = createOtlpExporter({
    endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    proxies: settings.EGRESS_PROXY,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.OTEL_SERVICE_NAME,
      'service.version': version,
      'service.instance.id': `${role}-${process.pid}`,
    }),
    sampler: new ParentBasedSampler({
      root: new TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG),
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: outside(under, tellingFailure(exporter, log)),
        scheduledDelayMillis: exportEveryMs,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  });
  const tracer = provider.getTracer('quarry', version);

  return {
    async trace(name, { kind, attributes = {}, parent }, run) {
      const around = parentOf(parent, under.getStore() ?? null);
      if (around === null && kind === 'client') return await run(noSpan);
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, around ?? ROOT_CONTEXT);
      try {
        return await under.run(span, () =>
          run({
            set: (more) => void span.setAttributes(more),
            rename: (later) => void span.updateName(later),
          }),
        );
      } catch (error) {
        const code = error instanceof AppError ? error.code : ((error as Error)?.name ?? 'unknown');
        span.setAttributes({ 'error.type': code }).setStatus({ code: SpanStatusCode.ERROR, message: code });
        throw error;
      } finally {
        span.end();
      }
    },
    current() {
      const span = under.getStore();
      if (!span) return null;
      const { traceId, spanId, traceFlags } = span.spanContext();
      return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    },
    // The last spans are lost where the collector is away; a stop is not to fail by that.
    [Symbol.asyncDispose]: () => provider.shutdown().catch(() => undefined),
  };
}

/** The first failure is told, and none after it: a collector that is away stays so for a while. */
function tellingFailure(exporter: SpanExporter, log: Logger): SpanExporter {
  let isTold = false;
  return {
    ...exporter,
    export: (spans, told) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined && !isTold) {
          isTold = true;
          log.warn({ err: result.error }, 'traces cannot be sent to OTEL_EXPORTER_OTLP_ENDPOINT');
        }
        told(result);
      }),
  };
}

/** Sending is no step of the trace that happens to be under way. */
function outside(under: AsyncLocalStorage<OtelSpan | null>, exporter: SpanExporter): SpanExporter {
  return { ...exporter, export: (spans, told) => under.run(null, () => exporter.export(spans, told)) };
}

/** @param traceparent what is none is ignored, as W3C Trace Context asks. */
function parentOf(traceparent: string | null | undefined, here: OtelSpan | null): Context | null {
  const match = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '');
  const [, traceId, spanId, flags] = match ?? [];
  if (traceId !== undefined && spanId !== undefined && flags !== undefined) {
    const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
    return trace.setSpanContext(ROOT_CONTEXT, remote);
  }
  return here === null ? null : trace.setSpan(ROOT_CONTEXT, here);
}
