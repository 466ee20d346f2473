import { hostname } from 'node:os';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { EgressOutcome } from '../egress/types.ts';

/** Which program a process is; its series carry it as the label `role`. */
export type ProcessRole = 'api' | 'worker';

/** From a cached page to the longest wait that a client may ask for, in seconds. */
const requestSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 110];
const runSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
const waitSeconds = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

/**
 * How often the lag of the event loop is measured, in milliseconds; what is told of it includes this. At the default,
 * 10, a process that has nothing to do spends most of its time on it.
 */
const lagEveryMs = 100;

/** What one process counts and measures. Names and units are those of Prometheus. */
export interface Metrics {
  /** Names the process among all that share a Redis; a process that is started again has another one. */
  readonly process: string;
  readonly registry: Registry;
  /** Answered requests; `code` is the problem's, empty for a success. */
  readonly requests: Counter<'operation' | 'status' | 'code'>;
  readonly requestSeconds: Histogram<'operation'>;
  /** Uses of hourly allowances: `taken`, `refused`, `given_back`. */
  readonly allowanceUses: Counter<'outcome'>;
  /** Jobs that this process has ended; `code` is that of the failure, empty where there is none. */
  readonly jobs: Counter<'operation' | 'status' | 'code'>;
  readonly jobRunSeconds: Histogram<'operation'>;
  /** From the acceptance of a job to its first start. */
  readonly jobWaitSeconds: Histogram<'operation'>;
  readonly browserStarts: Counter;
  readonly browserReplacements: Counter<'reason'>;
  readonly egressConnections: Counter<'result' | 'reason' | 'route'>;
  readonly egressBytes: Counter;
  readonly modelTokens: Counter<'model' | 'direction'>;
  /** Tries to deliver webhooks by what they left: `delivered`, `pending` (it is tried again), `failed`, `stopped`. */
  readonly webhookTries: Counter<'outcome'>;
  /** Counts what became of the connections of a lease. */
  countOutcomes(outcomes: readonly EgressOutcome[]): void;
}

export function createMetrics(role: ProcessRole): Metrics {
  const registry = new Registry();
  const name = `${role}@${hostname()}:${process.pid}`;
  registry.setDefaultLabels({ role, process: name });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagEveryMs });
  const registers = [registry];
  const egressConnections = new Counter({
    name: 'quarry_egress_connections_total',
    help: 'Connections of ended leases by what became of them; `reason` says why one was refused, `route` names the proxy.',
    labelNames: ['result', 'reason', 'route'] as const,
    registers,
  });
  const egressBytes = new Counter({
    name: 'quarry_egress_received_bytes_total',
    help: 'Bytes that came in over ended leases.',
    registers,
  });
  return {
    process: name,
    registry,
    requests: new Counter({
      name: 'quarry_http_requests_total',
      help: 'Answered requests; `code` is that of the problem, empty for a success.',
      labelNames: ['operation', 'status', 'code'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'quarry_http_request_duration_seconds',
      help: 'From a request to its answer, the wait for its job included.',
      labelNames: ['operation'],
      buckets: requestSeconds,
      registers,
    }),
    allowanceUses: new Counter({
      name: 'quarry_allowance_uses_total',
      help: 'Uses of hourly allowances: taken, refused, given_back.',
      labelNames: ['outcome'],
      registers,
    }),
    jobs: new Counter({
      name: 'quarry_jobs_ended_total',
      help: 'Jobs that have ended, parts of jobs included, by the process that has ended them; `code` is that of the failure.',
      labelNames: ['operation', 'status', 'code'],
      registers,
    }),
    jobRunSeconds: new Histogram({
      name: 'quarry_job_run_seconds',
      help: 'One run of a job in a worker. A job with parts has several.',
      labelNames: ['operation'],
      buckets: runSeconds,
      registers,
    }),
    jobWaitSeconds: new Histogram({
      name: 'quarry_job_wait_seconds',
      help: 'From the acceptance of a job to its first start.',
      labelNames: ['operation'],
      buckets: waitSeconds,
      registers,
    }),
    browserStarts: new Counter({
      name: 'quarry_browser_starts_total',
      help: 'Starts of Chromium.',
      registers,
    }),
    browserReplacements: new Counter({
      name: 'quarry_browser_replacements_total',
      help: 'Chromium processes that were replaced, and why.',
      labelNames: ['reason'],
      registers,
    }),
    egressConnections,
    egressBytes,
    modelTokens: new Counter({
      name: 'quarry_model_tokens_total',
      help: 'Tokens of language models: input, output.',
      labelNames: ['model', 'direction'],
      registers,
    }),
    webhookTries: new Counter({
      name: 'quarry_webhook_tries_total',
      help: 'Tries to deliver webhooks: delivered, pending (it is tried again), failed, stopped.',
      labelNames: ['outcome'],
      registers,
    }),
    countOutcomes(outcomes) {
      let bytes = 0;
      for (const { result, reason, route, bytesReceived } of outcomes) {
        egressConnections.inc({ result, reason: reason ?? '', route });
        bytes += bytesReceived;
      }
      egressBytes.inc(bytes);
    },
  };
}
