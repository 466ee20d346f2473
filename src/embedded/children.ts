import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { v8Options } from '../shared/v8-options.ts';
import type { Home } from './home.ts';
import { lastLines, openLog } from './logs.ts';
import { endProcess, findProcess, type ProcessIdentity } from './processes.ts';
import { StartError } from './start-error.ts';

/**
 * V8 lets the young generation grow to three times 16 MB in each thread, and keeps it. What passes pictures on is
 * none the slower for less, nor is the bundled Redis; the worker that parses pages is.
 */
export const smallYoungGeneration = ['--max-semi-space-size=4'];

/** Of every process that shares the compile cache: V8 refuses code that was compiled under other options. */
export const commonOptions = ['--disable-warning=ExperimentalWarning', ...v8Options];

export interface ChildSpec {
  /** Names its log file too. */
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly nodeOptions?: readonly string[];
}

export interface Surroundings {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  /** Children write to the terminal instead of to files in the home. */
  readonly logToStdout: boolean;
  /** A line for the person at the terminal. */
  readonly say: (line: string) => void;
  /** The process of that name started, or (undefined) ended. Does not throw. */
  readonly onChange: (name: string, identity: ProcessIdentity | undefined) => void;
}

export interface SupervisedChild {
  readonly name: string;
  /**
   * Its own word that it is up, with the address if it has one. Rejects with a StartError when it ended three
   * times without ever being up.
   */
  readonly ready: Promise<string | undefined>;
  isReady(): boolean;
  identity(): ProcessIdentity | undefined;
  /** SIGTERM, then SIGKILL after `graceMs` or as soon as `hurry` is aborted. */
  stop(graceMs: number, hurry: AbortSignal): Promise<void>;
}

const firstBackoffMs = 200;
/** Of one that ends before it is up, time and again. */
const longestBackoffMs = 5_000;
/** So often as soon as the first time: a job may have killed it, and is given up after as many. */
const quickStarts = 3;
const failedStartsAllowed = 3;

/**
 * Starts a Node program and starts it again whenever it ends by itself. It says `{type: 'ready', url?}` over IPC
 * when it is up, ends on SIGTERM, and ends by itself when the channel closes (we were killed).
 */
export function superviseChild(spec: ChildSpec, surroundings: Surroundings): SupervisedChild {
  const { home, say, onChange } = surroundings;
  const ready = Promise.withResolvers<string | undefined>();
  ready.promise.catch(() => {}); // it may fail while nobody waits for it yet
  const stopping = new AbortController();
  const ended = { everReady: false, starts: 0 };
  let identity: ProcessIdentity | undefined;
  let isReady = false;
  let env = surroundings.env;

  /** @returns how it ended. */
  const runOnce = async (): Promise<string> => {
    const child = launch(spec, { ...surroundings, env });
    const exited = once(child, 'exit');
    identity = child.pid === undefined ? undefined : findProcess(child.pid);
    onChange(spec.name, identity);
    child.on('message', (message) => {
      if (!isReadyMessage(message)) return;
      isReady = true;
      ended.everReady = true;
      // Clients know the address by now: started again, the child has to answer at the same one.
      if (message.url) env = { ...env, PORT: new URL(message.url).port || '80' };
      ready.resolve(message.url);
    });
    const [code, signal] = (await exited) as [number | null, string | null];
    return signal ?? `code ${code}`;
  };

  const run = async (): Promise<void> => {
    let endsBeforeUp = 0;
    while (!stopping.signal.aborted) {
      ended.starts += 1;
      // It could not even be started, for want of memory, of processes or of a file for its log.
      const how = await runOnce().catch((error: Error) => error.message);
      const wasUp = isReady;
      isReady = false;
      identity = undefined;
      onChange(spec.name, identity);
      if (stopping.signal.aborted) return;
      if (!ended.everReady && ended.starts >= failedStartsAllowed) {
        ready.reject(new StartError(`${spec.name} does not start. ${whereToLook(spec, surroundings)}`));
        return;
      }
      endsBeforeUp = wasUp ? 0 : endsBeforeUp + 1;
      const doublings = Math.max(0, endsBeforeUp - quickStarts);
      const backoffMs = Math.min(firstBackoffMs * 2 ** doublings, longestBackoffMs);
      say(`${spec.name} ended unexpectedly (${how}); starting it again in ${backoffMs / 1000} s`);
      await sleep(backoffMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const finished = run();

  return {
    name: spec.name,
    ready: ready.promise,
    isReady: () => isReady,
    identity: () => identity,
    stop: async (graceMs, hurry) => {
      stopping.abort();
      ready.reject(new StartError(`${spec.name} was stopped`));
      const last = identity;
      if (last) {
        const kill = (): void => void endProcess(last, 'SIGKILL', 0);
        hurry.addEventListener('abort', kill, { once: true });
        if (hurry.aborted || !(await endProcess(last, 'SIGTERM', graceMs))) {
          if (!hurry.aborted) say(`${spec.name} did not end in time and is killed`);
          kill();
        }
      }
      await finished;
    },
  };

  function whereToLook(of: ChildSpec, { logToStdout }: Surroundings): string {
    if (logToStdout) return 'Its messages are above.';
    return `The end of its log (${home.logs}/${of.name}.log):\n${lastLines(home, of.name, 15)}`;
  }
}

function launch(spec: ChildSpec, { home, env, logToStdout }: Surroundings): ChildProcess {
  const log = logToStdout ? undefined : openLog(home, spec.name);
  const output = log?.fd ?? 'inherit';
  const child = fork(spec.script, spec.args, {
    // A process group of its own: Ctrl-C in the terminal reaches us alone, and we stop the children in order.
    detached: true,
    execPath: process.execPath,
    execArgv: [...commonOptions, ...(spec.nodeOptions ?? [])],
    env: { ...env, QUARRY_SUPERVISED: '1' },
    stdio: ['ignore', output, output, 'ipc'],
  });
  log?.close();
  return child;
}

function isReadyMessage(message: unknown): message is { type: 'ready'; url?: string } {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
}
