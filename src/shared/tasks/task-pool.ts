import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { createFairQueue } from './fair-queue.ts';
import type { TaskRequest } from './messages.ts';
import type { TaskPool } from './task.ts';
import {
  killedTwice,
  notStarted,
  ProcessKilled,
  startTaskProcess,
  type TaskProcess,
  tooLarge,
} from './task-process.ts';

export interface TaskPoolOptions {
  /** At most. Default: the machine's cores, at least four, so that slow tasks of one owner leave processes for others'. */
  processes?: number;
  /** Of one process. Default 512 MiB. */
  memoryBytes?: number;
  /** After which a process without work ends. Default 30,000. */
  idleMs?: number;
  /** Tasks that may wait. Default 1,000. */
  maxWaiting?: number;
}

/** Of the processes, and of the places of those that wait: what one owner may have at a time. */
const ownerShare = 0.5;
/** A document that unpacks itself takes some hundred megabytes a second. */
const checkEveryMs = 25;
/** Of the bound: a process that holds more when its task has ended would count it against the next one. */
const keptShare = 0.5;
/** Of the bound: a process that holds more ends soon after its last task, and is one that a system short of memory kills. */
const heavyShare = 0.25;
const heavyIdleMs = 2_000;
const defaultTimeoutMs = 20_000;
/** Before a task whose process was killed is run once more: a system that kills is short of something. */
const killedPauseMs = 1_000;

interface Waiting {
  request: TaskRequest;
  owner: string;
  timeoutMs: number;
  signal: AbortSignal;
  result: PromiseWithResolvers<unknown>;
  /** The most that its process was seen to hold in this run. */
  heldBytes: number;
  /** The same of the run in which its process was killed. */
  killedWithBytes?: number;
}

/** The processes start when there is work, and end when there is none. */
export function createTaskPool(options: TaskPoolOptions = {}): TaskPool {
  const { memoryBytes = 512 * 1024 ** 2, idleMs = 30_000, maxWaiting = 1_000 } = options;
  const maxProcesses = options.processes ?? Math.max(4, availableParallelism());
  const maxPerOwner = Math.max(1, Math.floor(maxProcesses * ownerShare));
  const queue = createFairQueue<Waiting>();
  /** The one that ended its work last is used first, so that the others may end. */
  const idle: { worker: TaskProcess; timer: NodeJS.Timeout }[] = [];
  const busy = new Map<TaskProcess, Waiting>();
  const alive = new Set<TaskProcess>();
  const runningOf = new Map<string, number>();
  let memoryTimer: NodeJS.Timeout | undefined;
  const closing = new AbortController();

  function checkMemory(): void {
    for (const [worker, waiting] of busy) {
      const bytes = worker.readMemory();
      waiting.heldBytes = Math.max(waiting.heldBytes, bytes);
      if (bytes > memoryBytes) worker.end(tooLarge(`held ${bytes} bytes`));
    }
    if (busy.size > 0) return;
    clearInterval(memoryTimer);
    memoryTimer = undefined;
  }
  function open(): TaskProcess {
    const worker = startTaskProcess(memoryBytes);
    alive.add(worker);
    void worker.ended.then(() => {
      alive.delete(worker);
      retire(worker);
      pump();
    });
    return worker;
  }
  function takeProcess(): TaskProcess | null {
    const kept = idle.pop();
    if (kept === undefined) return alive.size < maxProcesses ? open() : null;
    clearTimeout(kept.timer);
    return kept.worker;
  }
  function giveBack(worker: TaskProcess): void {
    busy.delete(worker);
    if (worker.isOver) return;
    const bytes = worker.readMemory();
    if (closing.signal.aborted || bytes > memoryBytes * keptShare) {
      worker.end(null);
      return;
    }
    const afterMs = bytes > memoryBytes * heavyShare ? Math.min(heavyIdleMs, idleMs) : idleMs;
    idle.push({ worker, timer: setTimeout(() => retire(worker), afterMs).unref() });
  }
  function retire(worker: TaskProcess): void {
    const at = idle.findIndex((it) => it.worker === worker);
    if (at !== -1) clearTimeout(idle.splice(at, 1)[0]?.timer);
    worker.end(null);
  }
  async function runAgain(waiting: Waiting, error: ProcessKilled): Promise<void> {
    const { owner, signal, result } = waiting;
    waiting.killedWithBytes = waiting.heldBytes;
    await sleep(killedPauseMs, undefined, closing).catch(() => undefined);
    if (closing.signal.aborted || signal.aborted) result.reject(signal.reason ?? error);
    else {
      queue.push(owner, waiting);
      pump();
    }
  }
  /**
   * A task whose process is killed need not be what the system is short of memory for: it gets another one. Killed again,
   * it is taken for that only where it held much both times.
   */
  function fail(waiting: Waiting, error: unknown): void {
    const { result, heldBytes, killedWithBytes } = waiting;
    if (!(error instanceof ProcessKilled)) result.reject(error);
    else if (killedWithBytes === undefined) void runAgain(waiting, error);
    else {
      const bytes = Math.min(heldBytes, killedWithBytes);
      result.reject(killedTwice(bytes > memoryBytes * heavyShare, bytes, error));
    }
  }
  async function runIn(worker: TaskProcess, waiting: Waiting): Promise<void> {
    const { request, owner, timeoutMs, signal, result } = waiting;
    const end = () => worker.end(signal.reason);
    runningOf.set(owner, (runningOf.get(owner) ?? 0) + 1);
    waiting.heldBytes = 0;
    busy.set(worker, waiting);
    memoryTimer ??= setInterval(checkMemory, checkEveryMs).unref();
    signal.addEventListener('abort', end, { once: true });
    await worker.run(request, timeoutMs).then(result.resolve, (error) => fail(waiting, error));
    signal.removeEventListener('abort', end);
    const running = (runningOf.get(owner) ?? 1) - 1;
    if (running > 0) runningOf.set(owner, running);
    else runningOf.delete(owner);
    giveBack(worker);
    pump();
  }
  const mayGo = (owner: string) => (runningOf.get(owner) ?? 0) < maxPerOwner;
  function pump(): void {
    if (closing.signal.aborted) return;
    while (idle.length > 0 || alive.size < maxProcesses) {
      const next = queue.take(mayGo);
      if (next === undefined) return;
      try {
        const worker = takeProcess();
        if (worker !== null) void runIn(worker, next);
      } catch (error) {
        next.result.reject(notStarted(error));
      }
    }
  }

  return {
    async run({ moduleUrl }, payload, { signal, owner, timeoutMs = defaultTimeoutMs }) {
      signal.throwIfAborted();
      const isFull = queue.size >= maxWaiting || queue.sizeOf(owner) >= maxWaiting * ownerShare;
      if (closing.signal.aborted || isFull) {
        throw new AppError('overloaded', 'Too many documents are waiting to be read. Try again in a while.', {
          retryAfterSeconds: 5,
        });
      }
      const result = Promise.withResolvers<unknown>();
      const waiting = { request: { moduleUrl, payload }, owner, timeoutMs, signal, result, heldBytes: 0 };
      const leave = () => {
        queue.remove(owner, waiting);
        result.reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.push(owner, waiting);
      pump();
      try {
        return (await result.promise) as never;
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      clearInterval(memoryTimer);
      const left = new Error('The task pool is closed');
      for (let waiting = queue.take(() => true); waiting; waiting = queue.take(() => true))
        waiting.result.reject(left);
      const processes = [...alive];
      for (const worker of processes) worker.end(left);
      await Promise.all(processes.map((worker) => worker.ended));
    },
  };
}
