import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createId } from '../../shared/ids.ts';
import type { Lease } from '../../shared/jobs/transitions/lease.ts';
import type { QueueName } from '../../shared/operation.ts';
import { readProcessMemory } from '../../shared/processes/process-tree.ts';

/**
 * Runs jobs that may be what has killed workers, each alone in its process: when one does it again, nobody else
 * was there to be blamed. Meanwhile it holds one slot of its queue, and no more than that.
 */
export interface IsolatedRunner {
  /** @returns false where as many are under way as may be, the job is to run again, or the worker stops. */
  run(id: string): Promise<boolean>;
  /** Tells the processes to end as a worker does; one that has not by then is killed. */
  stop(): void;
}

/**
 * Several, so that none waits for a long innocent one. Few: each is a whole worker's memory, and what they
 * may have done may be for want of it; a browser takes more of it than anything else. More where memory is plenty.
 */
const slotsOf = (queues: readonly QueueName[]) =>
  queues.includes('browser') ? { always: 2, most: 4 } : { always: 4, most: 12 };

const plentyBytes = 2 * 1024 ** 3;

/** A start is nearly a second of CPU: begun together, all of them would take as long as the last. */
const startsAtOnce = Math.max(2, availableParallelism());

/** Longer than it takes to hand a job back, shorter than a worker is given to stop. */
const endWithinMs = 9_000;

/**
 * What has ended leaves its process to the next one: to start it takes longer than most jobs. Not what may still be at
 * work, or has left much memory behind, and after a pause, in which the process dies of whatever else was: the next
 * one is to be blamed for itself alone.
 */
const leftAtMostBytes = 128 * 1024 ** 2;
const pauseMs = 500;
const idleMs = 2_000;

const memoryOf = ({ pid }: ChildProcess) => (pid === undefined ? 0 : (readProcessMemory(pid) ?? 0));

/** Of the process, after each job; before the first another one says that it is ready. */
export interface IsolatedMessage {
  type: 'done';
  /** Nothing of the job is still at work. */
  isOver: boolean;
}

/** Its next message, that it has ended in order or could not be started, or that it has died. */
function nextOf(child: ChildProcess): Promise<'message' | 'left' | 'ended' | 'died'> {
  const { promise, resolve } = Promise.withResolvers<'message' | 'left' | 'ended' | 'died'>();
  const onMessage = ({ isOver }: Partial<IsolatedMessage>) => resolve(isOver === false ? 'left' : 'message');
  const onExit = (code: number | null) => resolve(code === 0 ? 'ended' : 'died');
  const onError = () => {
    if (child.pid === undefined) resolve('ended');
  };
  child.on('message', onMessage).on('exit', onExit).on('error', onError);
  return promise.finally(() => child.off('message', onMessage).off('exit', onExit).off('error', onError));
}

export interface IsolatedRunnerOptions {
  queues: readonly QueueName[];
  /** Told of the lease of a job whose process has died of it. */
  onDeath: (lease: Lease) => Promise<void>;
}

export function createIsolatedRunner({ queues, onDeath }: IsolatedRunnerOptions): IsolatedRunner {
  const { always, most } = slotsOf(queues);
  /** With the memory that they began with, in bytes; 0 before they are ready. */
  const children = new Map<ChildProcess, number>();
  const hasCapacity = () =>
    children.size < always || (children.size < most && process.availableMemory() > plentyBytes);
  /** With what ends them. */
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  let starting = 0;
  /** Jobs for which there is capacity, until a process can be started or another has become idle. */
  const waiting: (() => void)[] = [];
  let stopped = false;

  function start(): ChildProcess {
    const child = fork(join(import.meta.dirname, 'isolated-main.ts'), queues);
    children.set(child, 0);
    const forget = () => {
      children.delete(child);
      takeIdle(child);
      wakeWaiting();
    };
    child.once('exit', forget);
    starting++;
    void nextOf(child).then(() => {
      starting--;
      wakeWaiting();
    });
    // No exit follows where it was never started, for want of processes or files.
    child.on('error', () => {
      if (child.pid === undefined) forget();
    });
    return child;
  }

  function takeIdle(child: ChildProcess): void {
    clearTimeout(idle.get(child));
    idle.delete(child);
  }

  function endIdle(child: ChildProcess): void {
    takeIdle(child);
    if (child.connected) child.disconnect();
  }

  /** To the next job, if it may have it. */
  function leave(child: ChildProcess): void {
    if (!children.has(child)) return;
    if (memoryOf(child) > (children.get(child) ?? 0) + leftAtMostBytes) return child.disconnect();
    idle.set(child, setTimeout(() => endIdle(child), idleMs).unref());
    wakeWaiting();
  }

  const wakeWaiting = () => {
    for (const wake of waiting.splice(0)) wake();
  };

  /** None where all have something to run, and no more can be started. */
  async function take(): Promise<{ child: ChildProcess; isNew: boolean } | null> {
    for (;;) {
      if (stopped) return null;
      const [used] = idle.keys();
      if (used !== undefined) {
        takeIdle(used);
        return { child: used, isNew: false };
      }
      if (!hasCapacity() || children.size + waiting.length >= most) return null;
      if (starting < startsAtOnce) return { child: start(), isNew: true };
      await new Promise<void>((wake) => waiting.push(wake));
    }
  }

  return {
    async run(id) {
      const taken = await take();
      if (taken === null) return false;
      const { child, isNew } = taken;
      const lease = { id, token: createId() };
      // The first one says that it is ready, each other that a job is over.
      let told = isNew ? await nextOf(child) : ('message' as const);
      if (told === 'message') {
        if (isNew) children.set(child, memoryOf(child));
        // One that has ended meanwhile says so by its exit.
        child.send(lease, () => undefined);
        told = await nextOf(child);
      }
      if (told === 'message') setTimeout(() => leave(child), pauseMs).unref();
      if (told === 'left' && child.connected) child.disconnect();
      if (told === 'message' || told === 'left') return true;
      // One that is told to stop has handed its job back.
      if (stopped) return true;
      if (told === 'ended') return false;
      await onDeath(lease);
      return true;
    },
    stop() {
      stopped = true;
      wakeWaiting();
      for (const child of children.keys()) {
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), endWithinMs).unref();
      }
    },
  };
}
