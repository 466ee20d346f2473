import { noSpan, type Span, type Tracing } from '../tracing/tracing.ts';
import type { UpstreamProxies } from './upstream-proxies.ts';

/** Asks a target as a step of a trace. Of its URL the trace keeps the host alone: the rest is its asker's. */
export type TraceTarget = <T>(
  method: string,
  to: { host: string; port: number },
  ask: (span: Span) => Promise<T>,
) => Promise<T>;

/** For one lease: its steps are parts of what was under way when it was opened, also those of programs. */
export function traceTargets(tracing: Tracing, proxies: UpstreamProxies): TraceTarget {
  const parent = tracing.current();
  if (parent === null) return (_method, _to, ask) => ask(noSpan);
  return (method, { host, port }, ask) => {
    const attributes = {
      'http.request.method': method,
      'server.address': host,
      'server.port': port,
      'quarry.route': proxies.find(host, port)?.name ?? 'direct',
    };
    return tracing.trace(method, { kind: 'client', attributes, parent }, ask);
  };
}
