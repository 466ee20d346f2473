import { expect, test } from 'vitest';
import type { TracingSettings } from '../../src/shared/tracing/opentelemetry.ts';
import { startTracing } from '../../src/shared/tracing/start-tracing.ts';
import { createLog } from '../../src/shared/log.ts';
import { noTracing } from '../../src/shared/tracing/tracing.ts';

const settings: TracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
  OTEL_EXPORTER_OTLP_HEADERS: {},
  OTEL_SERVICE_NAME: 'quarry',
  OTEL_TRACES_SAMPLER_ARG: 1,
  EGRESS_PROXY: [],
  LOG_LEVEL: 'warn',
};

test('without a collector nothing is traced, and no package loaded', async () => {
  const tracing = await startTracing(settings, 'api');
  expect(tracing).toBe(noTracing);
  expect(await tracing.trace('step', { kind: 'server' }, async () => tracing.current())).toBeNull();
});

test('a collector that is away costs nobody anything but the traces, which is told once', async () => {
  const endpoint = new URL('http://127.0.0.1:1');
  const lines: string[] = [];
  const log = createLog({ level: 'warn', name: 'api', write: (line) => lines.push(line) });
  const tracing = await startTracing({ ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, 'api', log);
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const failing = tracing.trace('step', { kind: 'server', parent }, async () => {
    throw new Error(`in ${tracing.current()}`);
  });
  await expect(failing).rejects.toThrow(/in 00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01/);
  expect(tracing.current()).toBeNull();
  await tracing[Symbol.asyncDispose]();
  expect(lines).toEqual([expect.stringContaining('traces cannot be sent')]);
});

test('a client alone, and what is no traceparent, continue no trace', async () => {
  const endpoint = new URL('http://127.0.0.1:1');
  await using tracing = await startTracing({ ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, 'worker');
  expect(await tracing.trace('step', { kind: 'client' }, async () => tracing.current())).toBeNull();
  const parent = `00-${'0'.repeat(32)}-b7ad6b7169203331-01`;
  const made = await tracing.trace('step', { kind: 'server', parent }, async () => tracing.current());
  expect(made).toMatch(/^00-(?!0{32})[0-9a-f]{32}-/);
});
