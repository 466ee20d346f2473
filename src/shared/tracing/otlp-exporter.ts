import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { createEgressDoor } from '../egress/door.ts';

const timeoutMs = 5_000;

export interface OtlpOptions {
  /** `/v1/traces` comes behind it. */
  endpoint: URL;
  headers: Readonly<Record<string, string>>;
  proxies: readonly string[];
}

/** Sends spans as OTLP/HTTP in JSON, through an egress door that leads to the collector alone. What fails is not tried again. */
export function createOtlpExporter({ endpoint, headers, proxies }: OtlpOptions): SpanExporter {
  const host = `${endpoint.hostname}:${endpoint.port || (endpoint.protocol === 'https:' ? 443 : 80)}`;
  const door = createEgressDoor({ allow: [], providers: [host], proxies });
  const url = `${endpoint.href.replace(/\/+$/, '')}/v1/traces`;

  async function send(body: Uint8Array): Promise<void> {
    await using lease = door.openLease({ hosts: [host] });
    const { status } = await lease.fetch({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      originHeaders: { ...headers },
      body: Buffer.from(body),
      timeoutMs,
    });
    if (status >= 300) throw new Error(`The collector answered ${status}`);
  }

  return {
    export(spans, told) {
      send(JsonTraceSerializer.serializeRequest(spans) ?? new Uint8Array()).then(
        () => told({ code: 0 }),
        (error: Error) => told({ code: 1, error }),
      );
    },
    async shutdown() {
      await door[Symbol.asyncDispose]();
    },
  };
}
