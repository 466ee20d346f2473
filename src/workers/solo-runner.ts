import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { QueueName } from '../shared/operation.ts';

/**
 * Runs a job that is suspected of killing workers in a process of its own: when it does it again, nobody else was
 * there to be blamed, and nobody waits for it however long it takes. One at a time: it may be for want of memory.
 */
export interface SoloRunner {
  /** @returns false where another one is under way, or the worker stops. */
  run(id: string): Promise<boolean>;
  /** Tells the process to end as a worker does: by itself within its time, else the job is handed back. */
  stop(): void;
}

export function createSoloRunner(queues: readonly QueueName[]): SoloRunner {
  let child: ChildProcess | undefined;
  let stopped = false;

  return {
    async run(id) {
      if (stopped || child !== undefined) return false;
      child = fork(join(import.meta.dirname, 'solo-main.ts'), [id, ...queues]);
      // However it ends: the row's lease tells.
      await once(child, 'exit').finally(() => (child = undefined));
      return true;
    },
    stop() {
      stopped = true;
      child?.kill('SIGTERM');
    },
  };
}
