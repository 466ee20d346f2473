import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { WorkerConfig } from '../../shared/config.ts';
import type { Metrics } from '../../shared/metrics/metrics.ts';
import type { Db } from '../../shared/db/client.ts';
import type { TaskPool } from '../../shared/tasks/task.ts';
import type { EgressLease, EgressLeaseOptions, WaitingProxy } from '../../shared/egress/types.ts';

/** What the handlers of every queue work with. */
export interface JobTools {
  /** The job's way out. Dispose of it when the job's work is done. */
  openLease(options: EgressLeaseOptions): EgressLease;
  /** For parsing and matching of foreign data at length. */
  readonly tasks: TaskPool;
}

/** What the tools of a queue are made of. */
export interface ToolsContext {
  config: WorkerConfig;
  log: Logger;
  metrics: Metrics;
  db: Db;
  redis: Redis;
  /** What must be closed at the end of the process is put here. */
  lifetime: AsyncDisposableStack;
  jobTools: JobTools;
  /** A forward proxy for a lease that is still to come, e.g. that of a browser. */
  openProxy(): Promise<WaitingProxy>;
}

/** Tools that are made ready at the worker's start, and not only for its first job. */
export interface WarmedUp {
  /** Rejects where the tools cannot work. That is logged, and shows in each job; the worker serves all the same. */
  warmUp(): Promise<void>;
}

/** Tools that run programs which may not be there. */
export interface Lacking {
  /** The variables that name those which are not found; operations that run them answer `not_configured`. */
  lacks(): Promise<readonly string[]>;
}
