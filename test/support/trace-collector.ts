import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  attributes: Record<string, unknown>;
  error: string | null;
}

/** A collector on loopback that takes OTLP/HTTP in JSON (opentelemetry.io/docs/specs/otlp). */
export interface TraceCollector extends AsyncDisposable {
  endpoint: string;
  spans: CollectedSpan[];
  /** Headers of the requests so far. */
  headers: Record<string, unknown>[];
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

const readAttributes = (attributes: Attribute[] = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

function readSpans(body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body);
  return resourceSpans.flatMap((resource: any) =>
    resource.scopeSpans
      .flatMap((scope: any) => scope.spans)
      .map((span: any) => ({
        service: String(readAttributes(resource.resource.attributes)['service.name']),
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || null,
        attributes: readAttributes(span.attributes),
        error: span.status?.code === 2 ? span.status.message : null,
      })),
  );
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    if (request.url === '/otlp/v1/traces') {
      headers.push(request.headers);
      spans.push(...readSpans(await text(request)));
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp`,
    spans,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
