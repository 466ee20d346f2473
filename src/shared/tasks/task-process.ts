import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { AppError, fromStoredError } from '../errors.ts';
import { lowerPriority } from '../processes/priority.ts';
import { readProcessMemory, readProcessorTime } from '../processes/process-tree.ts';
import type { TaskReply, TaskRequest } from './messages.ts';

/** Of the bound: what V8 may take for objects; text and bytes outside of its heap need the rest. */
const heapShare = 0.75;
/** Of what the process writes when it dies, for the log. */
const lastWordsLength = 2_000;

/** One process, which runs one task at a time. */
export interface TaskProcess {
  /** Waits for the process to be up. @throws as `TaskPool.run`, and ProcessKilled. */
  run(request: TaskRequest, timeoutMs: number): Promise<unknown>;
  /** Bytes that it holds beyond its program; 0 where the system does not tell. */
  readMemory(): number;
  /** Ends it, and the task that runs in it with this reason. */
  end(reason: unknown): void;
  /** It has ended, or is about to. */
  readonly isOver: boolean;
  readonly ended: Promise<void>;
}

export function tooLarge(cause: string): AppError {
  return new AppError(
    'target_too_large',
    'The document takes more time or memory to be read than one document may. Ask for less of it, or for another form of it.',
    { cause: new Error(cause) },
  );
}

export function notStarted(cause: unknown): AppError {
  return new AppError('overloaded', 'No process can be started to read the document. Try again in a while.', {
    retryAfterSeconds: 5,
    cause,
  });
}

/** Ended by somebody else, mostly a system that is short of memory. What V8 lacks for a document ends by SIGABRT. */
export class ProcessKilled extends Error {}

/** A task that waits for a processor has so much more time than its limit: that is not the document's fault. */
const waitMs = (limitMs: number): number => Math.min(9 * limitMs, 40_000);
const leastCheckMs = 50;

function starved(usedMs: number, tookMs: number): AppError {
  return new AppError(
    'overloaded',
    'The machine was too busy to read the document in time. Try again in a while.',
    { retryAfterSeconds: 5, cause: new Error(`had ${usedMs} ms of a processor in ${tookMs} ms`) },
  );
}

/** @param isHeavy it held much both times, which is what a system short of memory looks for. */
export function killedTwice(isHeavy: boolean, bytes: number, cause: Error): AppError {
  if (isHeavy) return tooLarge(`was killed twice, with ${bytes} bytes or more: ${cause.message}`);
  return new AppError(
    'overloaded',
    'The machine has ended the process that read the document, twice. Try again in a while.',
    { retryAfterSeconds: 5, cause },
  );
}

function explainEnd(how: string, cause: string): Error {
  return how === 'SIGKILL' ? new ProcessKilled(cause) : tooLarge(cause);
}

function toError(reply: Exclude<TaskReply, { kind: 'ready' | 'result' }>): Error {
  if (reply.kind === 'refused') return fromStoredError(reply.error);
  if (reply.kind === 'exhausted') return tooLarge(reply.message);
  const error = new Error(reply.message);
  error.name = reply.name;
  if (reply.stack !== undefined) error.stack = reply.stack;
  return error;
}

function start(memoryBytes: number): ChildProcess {
  const heapMegabytes = Math.floor((memoryBytes * heapShare) / 1024 ** 2);
  const child = fork(join(import.meta.dirname, 'task-main.ts'), {
    serialization: 'advanced',
    // Nothing of the worker's configuration belongs there.
    env: {},
    execArgv: [`--max-old-space-size=${heapMegabytes}`],
    // A session of its own: Linux may divide processors between sessions first (sched(7), autogroup). In its worker's,
    // the worker's event loop would wait for the task.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  lowerPriority(child);
  return child;
}

/** An idle process does not keep its worker alive. */
function hold(child: ChildProcess, isHeld: boolean): void {
  const how = isHeld ? 'ref' : 'unref';
  child[how]();
  child.channel?.[how]();
  (child.stderr as Partial<Socket> | null)?.[how]?.();
}

/** @returns how. */
function untilEnded(child: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  child.once('exit', (code, signal) => resolve(signal ?? `status ${code}`));
  // Other errors are about a message that did not reach it: it has ended by then, or is about to.
  child.on('error', (error) => child.pid === undefined && resolve(error.message));
  return promise;
}

export function startTaskProcess(memoryBytes: number): TaskProcess {
  const child = start(memoryBytes);
  const { pid } = child;
  const ready = Promise.withResolvers<void>();
  let isReady = false;
  let running: PromiseWithResolvers<unknown> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let lastWords = '';
  let isOver = false;
  let endReason: unknown;
  ready.promise.catch(() => undefined);
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-lastWordsLength);
  });

  function settle(settleWith: (task: PromiseWithResolvers<unknown>) => void): void {
    clearTimeout(timer);
    const task = running;
    running = null;
    if (task !== null) settleWith(task);
  }
  child.on('message', (reply: TaskReply) => {
    if (reply.kind === 'ready') {
      isReady = true;
      ready.resolve();
    } else if (reply.kind === 'result') settle((task) => task.resolve(reply.value));
    else settle((task) => task.reject(toError(reply)));
  });
  const ended = untilEnded(child).then((how) => {
    isOver = true;
    const cause = `A task's process ended (${how}). ${lastWords}`.trim();
    const failure = endReason ?? (isReady ? explainEnd(how, cause) : notStarted(new Error(cause)));
    ready.reject(failure);
    settle((task) => task.reject(failure));
  });
  const end = (reason: unknown): void => {
    if (!isOver) endReason = reason;
    isOver = true;
    hold(child, true);
    child.kill('SIGKILL');
  };

  /** Ends the process where its task takes more of a processor than it may. */
  function limit(timeoutMs: number): void {
    const startedAt = performance.now();
    const readUsed = (): number => (pid === undefined ? null : readProcessorTime(pid)) ?? 0;
    const usedBefore = readUsed();
    const check = (): void => {
      const usedMs = readUsed() - usedBefore;
      const tookMs = Math.round(performance.now() - startedAt);
      // Half of a processor is what a task may count on.
      if (usedMs >= Math.min(timeoutMs, tookMs / 2)) end(tooLarge(`took more than ${timeoutMs} ms`));
      else if (tookMs >= timeoutMs + waitMs(timeoutMs)) end(starved(usedMs, tookMs));
      else timer = setTimeout(check, Math.max(leastCheckMs, (timeoutMs - usedMs) / 2));
    };
    timer = setTimeout(check, timeoutMs);
  }

  return {
    async run(request, timeoutMs) {
      hold(child, true);
      running = Promise.withResolvers();
      const { promise, reject } = running;
      promise.catch(() => undefined);
      await ready.promise.catch(reject);
      if (isOver) reject(endReason ?? new ProcessKilled("A task's process has ended before its task."));
      else limit(timeoutMs);
      try {
        if (child.connected) child.send(request);
      } catch (error) {
        settle((task) => task.reject(error));
      }
      return await promise.finally(() => hold(child, false));
    },
    readMemory: () => (pid === undefined ? 0 : (readProcessMemory(pid) ?? 0)),
    end,
    get isOver() {
      return isOver;
    },
    ended,
  };
}
