import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

const heartbeatMs = 500;

/** What watchdog-thread.ts is given. */
export interface Watched {
  /** One number, which changes with each heartbeat. */
  heartbeats: Int32Array<SharedArrayBuffer>;
  /** Seconds without a heartbeat after which the process ends, as event-loop-stall.ts counts them. */
  stalledSeconds: number;
}

/**
 * Ends this process with SIGKILL where its event loop stands still for two leases: other workers have its jobs by
 * then, and neither a signal nor the end of its supervisor would reach it. Time for which a busy machine gave it no
 * processor counts little (event-loop-stall.ts). A thread, which no loop of ours can block.
 */
export function startWatchdog(leaseMs: number): Disposable {
  // It stands still at a breakpoint too.
  if (debuggerUrl() !== undefined) return new DisposableStack();
  const heartbeats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const timer = setInterval(() => {
    Atomics.add(heartbeats, 0, 1);
    Atomics.notify(heartbeats, 0);
  }, heartbeatMs).unref();
  const thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
    workerData: { heartbeats, stalledSeconds: Math.ceil((2 * leaseMs) / 1_000) } satisfies Watched,
  });
  thread.unref();
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      void thread.terminate();
    },
  };
}
