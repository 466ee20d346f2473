import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createId } from '../../shared/ids.ts';
import type { Lease } from '../../shared/jobs/transitions/lease.ts';
import type { QueueName } from '../../shared/operation.ts';
import { readProcessMemory } from '../../shared/processes/process-tree.ts';

/**
 * Runs jobs that may be what has killed workers in processes of their own, first each alone: when one does it again, nobody
 * else was there to be blamed. Meanwhile each holds one slot of its queue.
 *
 * Most of them only stood beside the one that did it, and a process takes more than a second of CPU to start. So once one of
 * a group has lived alone, those of the group that have not begun yet join its process. When a process dies that had several
 * since it was last idle, no one is blamed, and from then on each of the group runs alone. Another worker process has to
 * find that out for itself.
 */
export interface IsolatedRunner {
  /**
   * @param group of jobs that are likely to do the same: of one user and operation.
   * @returns false where it is to be asked again: as many are under way as may be, no process could be started, or the worker stops.
   */
  run(id: string, group: string): Promise<boolean>;
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

/** What kills its process mostly does so at once: a job that has run alone for so long is trusted, and so is its group. */
export const trustAfterMs = 500;
/** What is known of a group is found out again after this long. */
const rememberMs = 600_000;

const memoryOf = ({ pid }: ChildProcess) => (pid === undefined ? 0 : (readProcessMemory(pid) ?? 0));

/** Of the process, of a job's lease; before the first another one says that it is ready. */
export type IsolatedMessage =
  /** Its handler begins. */
  | { type: 'begun'; token: string }
  /** `trustAfterMs` later, by the clock of the process: one that is blocked does not say so. */
  | { type: 'lived'; token: string }
  | {
      type: 'done';
      token: string;
      /** Nothing of the job is still at work. */
      isOver: boolean;
    };

/**
 * What became of a job. `over`: it has ended. `left`: it has, and something of it may still be at work. `ended`: its process
 * has, in order. `died`: its process has, otherwise.
 */
type Outcome = 'over' | 'left' | 'ended' | 'died';

/** A process, and what it runs. */
interface IsolatedProcess {
  child: ChildProcess;
  isReady: boolean;
  /** It has the code that its first job loads. */
  isWarm: boolean;
  /** In bytes, when it was ready. */
  memory: number;
  /** Of the last job that it was given. */
  group: string;
  /** Of its lease. */
  token: string;
  /** By their tokens. */
  jobs: Map<string, (outcome: Outcome) => void>;
  /** Jobs that it was given since it was last idle: what happens to it may be the doing of each. */
  given: number;
  /** Takes nothing more: what it has run may still be at work. */
  isSpent: boolean;
  /** The pause behind what it has run last. */
  pause?: NodeJS.Timeout;
}

export interface IsolatedRunnerOptions {
  queues: readonly QueueName[];
  /** Told of the lease of a job whose process has died of it. */
  onDeath: (lease: Lease) => Promise<void>;
  /** Told of the lease of a job whose process has died of it, or of another one: it is to run again. */
  onSharedDeath: (lease: Lease) => Promise<void>;
}

export function createIsolatedRunner(options: IsolatedRunnerOptions): IsolatedRunner {
  const { queues, onDeath, onSharedDeath } = options;
  const { always, most } = slotsOf(queues);
  const processes = new Set<IsolatedProcess>();
  /** With what ends them. */
  const idle = new Map<IsolatedProcess, NodeJS.Timeout>();
  /** Jobs that are to have a process of their own, as soon as there is one; told false where it could not be started. */
  const waiting: ((mayTry: boolean) => void)[] = [];
  /** Of groups, for a while: whether one of it has lived alone, or one of its processes has died. */
  const known = new Map<string, { isTrusted: boolean; since: number }>();
  let stopped = false;

  function start(): void {
    const child = fork(join(import.meta.dirname, 'isolated-main.ts'), queues);
    const one: IsolatedProcess = {
      child,
      isReady: false,
      isWarm: false,
      memory: 0,
      group: '',
      token: '',
      jobs: new Map(),
      given: 0,
      isSpent: false,
    };
    processes.add(one);
    child.on('message', (message: IsolatedMessage | { type: 'ready' }) => {
      if (message.type === 'ready') {
        one.isReady = true;
        one.memory = memoryOf(child);
        offer(one);
        return;
      }
      one.isWarm = true;
      if (message.type === 'lived') trustFor(one, message.token);
      else if (message.type === 'done') one.jobs.get(message.token)?.(message.isOver ? 'over' : 'left');
      wakeWaiting();
    });
    const end = (outcome: Outcome) => {
      processes.delete(one);
      takeIdle(one);
      if (!one.isReady) waiting.shift()?.(false);
      wakeWaiting();
      for (const tell of one.jobs.values()) tell(outcome);
    };
    child.once('exit', (code) => end(code === 0 ? 'ended' : 'died'));
    // No exit follows where it was never started, for want of processes or files.
    child.on('error', () => {
      if (child.pid === undefined) end('ended');
    });
  }

  function takeIdle(one: IsolatedProcess): void {
    clearTimeout(idle.get(one));
    idle.delete(one);
  }

  function endIdle(one: IsolatedProcess): void {
    takeIdle(one);
    disconnect(one);
  }

  function disconnect({ child }: IsolatedProcess): void {
    if (child.connected) child.disconnect();
  }

  /** To the next job. */
  function offer(one: IsolatedProcess): void {
    one.given = 0;
    idle.set(one, setTimeout(() => endIdle(one), idleMs).unref());
    wakeWaiting();
  }

  function leave(one: IsolatedProcess): void {
    if (!processes.has(one)) return;
    if (memoryOf(one.child) > one.memory + leftAtMostBytes) disconnect(one);
    else offer(one);
  }

  const wakeWaiting = () => {
    for (const wake of waiting.splice(0)) wake(true);
  };

  function know(group: string, isTrusted: boolean): void {
    for (const name of known.keys()) recall(name);
    known.set(group, { isTrusted, since: performance.now() });
  }

  /** @returns whether the group is trusted; undefined where nothing is known of it. */
  function recall(group: string): boolean | undefined {
    const found = known.get(group);
    if (found === undefined || found.since > performance.now() - rememberMs) return found?.isTrusted;
    known.delete(group);
    return undefined;
  }

  /** What a process has run alone speaks for its group, unless a process has died of that. */
  function trustFor(one: IsolatedProcess, token: string): void {
    if (one.token !== token || one.given !== 1 || recall(one.group) !== undefined) return;
    know(one.group, true);
    // Those of it that wait for a process of their own need none.
    wakeWaiting();
  }

  /** Of the processes of a trusted group, the one with the fewest jobs; the slots of the queue bound how many it has. */
  function findShared(group: string): IsolatedProcess | undefined {
    if (recall(group) !== true) return undefined;
    return [...processes]
      .filter((one) => one.group === group && one.child.connected && !one.isSpent && !idle.has(one))
      .toSorted((a, b) => a.jobs.size - b.jobs.size)[0];
  }

  /** @returns a process that takes the job at once, or whether one may be waited for. */
  function find(group: string): IsolatedProcess | boolean {
    if (stopped) return false;
    const [idleOne] = idle.keys();
    const found = findShared(group) ?? idleOne;
    if (found !== undefined) return found;
    const slots = process.availableMemory() > plentyBytes ? most : always;
    const all = [...processes];
    const coming = all.filter(({ isReady }) => !isReady).length;
    if (all.length - coming + waiting.length >= slots) return false;
    const cold = all.filter(({ isWarm }) => !isWarm).length;
    if (coming <= waiting.length && cold < startsAtOnce && all.length < slots) start();
    return true;
  }

  /** Gives a job to a process, as soon as there is one. @returns null where it is to ask again. */
  async function take(
    group: string,
    token: string,
    tell: (outcome: Outcome) => void,
  ): Promise<IsolatedProcess | null> {
    let found = find(group);
    while (found === true) {
      const mayTry = await new Promise<boolean>((wake) => waiting.push(wake));
      found = mayTry && find(group);
    }
    if (found === false) return null;
    takeIdle(found);
    clearTimeout(found.pause);
    found.group = group;
    found.token = token;
    found.given++;
    found.jobs.set(token, tell);
    return found;
  }

  /** @returns as `run`. */
  async function settleDeath(lease: Lease, group: string, isShared: boolean): Promise<boolean> {
    know(group, false);
    await (isShared ? onSharedDeath : onDeath)(lease);
    return true;
  }

  return {
    async run(id, group) {
      const lease = { id, token: createId() };
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      const one = await take(group, lease.token, resolve);
      if (one === null) return false;
      const { child, jobs } = one;
      // One that has ended meanwhile says so by its exit.
      child.send(lease, () => undefined);
      const outcome = await promise;
      const isShared = one.given > 1;
      // One that is told to stop has handed its job back.
      if (outcome === 'ended' && (stopped || !isShared)) return stopped;
      if (outcome === 'ended' || outcome === 'died') return await settleDeath(lease, group, isShared);
      jobs.delete(lease.token);
      one.isSpent ||= outcome === 'left';
      if (jobs.size > 0) return true;
      if (one.isSpent) disconnect(one);
      else one.pause = setTimeout(() => leave(one), pauseMs).unref();
      return true;
    },
    stop() {
      stopped = true;
      wakeWaiting();
      for (const { child } of processes) {
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), endWithinMs).unref();
      }
    },
  };
}
