import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createId } from '../../shared/ids.ts';
import type { Lease } from '../../shared/jobs/transitions/lease.ts';
import type { QueueName } from '../../shared/operation.ts';

/**
 * Runs jobs that are suspected of killing workers, each in a process of its own: when one does it again, nobody else
 * was there to be blamed. Meanwhile it holds one slot of its queue, and no more than that.
 */
export interface IsolatedRunner {
  /** @returns false where as many are under way as may be, or the worker stops. */
  run(id: string): Promise<boolean>;
  /** Tells the processes to end as a worker does; one that has not by then is killed. */
  stop(): void;
}

/**
 * Several, so that none waits for a long innocent one. Few: each is a whole worker's memory, and what they are
 * suspected of may be for want of it; a browser takes more of it than anything else.
 */
const slotsOf = (queues: readonly QueueName[]) => (queues.includes('browser') ? 2 : 4);

/** Longer than it takes to hand a job back, shorter than a worker is given to stop. */
const endWithinMs = 9_000;

/** @param onDeath is told of the lease of a job whose process has died of it. */
export function createIsolatedRunner(
  queues: readonly QueueName[],
  onDeath: (lease: Lease) => Promise<void>,
): IsolatedRunner {
  const slots = slotsOf(queues);
  const children = new Set<ChildProcess>();
  let stopped = false;

  return {
    async run(id) {
      if (stopped || children.size >= slots) return false;
      const lease = { id, token: createId() };
      const child = fork(join(import.meta.dirname, 'isolated-main.ts'), [id, lease.token, ...queues]);
      children.add(child);
      const [code] = (await once(child, 'exit').finally(() => children.delete(child))) as [number | null];
      // One that is told to stop has handed its job back.
      if (code !== 0 && !stopped) await onDeath(lease);
      return true;
    },
    stop() {
      stopped = true;
      for (const child of children) {
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), endWithinMs).unref();
      }
    },
  };
}
