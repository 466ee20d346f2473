import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { EgressLease } from '../../../shared/egress/types.ts';
import { AppError } from '../../../shared/errors.ts';
import { type ChromiumParts, prepareChromium } from '../../browser/chromium-parts.ts';
import type { BrowserLog } from '../../browser/log.ts';
import { createProfile } from '../../browser/profile.ts';
import type { SandboxPolicy } from '../../browser/sandbox-policy.ts';
import { startCpuMeter } from '../../processes/cpu-meter.ts';
import { killGroup } from '../../processes/kill-group.ts';
import { readProcessTree } from '../../../shared/processes/process-tree.ts';
import type { Reaper } from '../../processes/reaper.ts';
import type { Measured, MeasureOrder, MeasureReply, MeasureRequest } from './messages.ts';

export interface LighthouseOptions {
  /** Holds the unpacked Chromium and the font cache. */
  dataFolder: string;
  chromePath?: string;
  sandbox: SandboxPolicy;
  reaper: Reaper;
  log: BrowserLog;
  /** What the process has of the worker's environment. */
  env: Readonly<Record<string, string>>;
  /** Of the process and its Chromium together. Default 2 GiB. */
  memoryLimitBytes?: number;
}

export interface MeasuredRun extends Measured {
  /** Share of the machine that others took meanwhile, 0 to 1; null where it cannot be read. */
  otherLoad: number | null;
}

export interface Lighthouse {
  /**
   * Measures a page once, in a process and a Chromium of their own whose only way out is the lease. Both are gone when
   * it ends, however it ends.
   * @throws AppError the codes of a page load; `page_crashed` past the memory bound; the signal's reason.
   */
  measure(request: MeasureRequest, way: { lease: EgressLease; signal: AbortSignal }): Promise<MeasuredRun>;
  /** Finds Chromium and makes its fonts ready. */
  warmUp(): Promise<void>;
}

const defaultMemoryLimitBytes = 2 * 1024 ** 3;
/** Of Lighthouse itself; the rest of the bound is Chromium's. */
const heapMegabytes = 1_024;
const checkEveryMs = 200;
/** Beside the load of the page: the start of Chromium and what Lighthouse makes of the trace. */
const analysisMs = 60_000;
const lastWordsLength = 2_000;

export function createLighthouse(options: LighthouseOptions): Lighthouse {
  let parts: Promise<ChromiumParts> | undefined;
  function prepare(): Promise<ChromiumParts> {
    parts ??= prepareChromium(options);
    // A failure is not kept: the operator may mend the cause while we run.
    parts.catch(() => (parts = undefined));
    return parts;
  }
  return {
    async warmUp() {
      await prepare();
    },
    async measure(request, { lease, signal }) {
      signal.throwIfAborted();
      const ready = await prepare();
      const { reaper } = options;
      const profileFolder = await createProfile(ready.account);
      reaper.watch(profileFolder);
      try {
        const proxy = await lease.openProxy();
        const { sandbox } = options;
        const order = { ...request, parts: ready, profileFolder, sandbox, proxy };
        return await runProcess(order, { ...options, signal });
      } finally {
        await reaper.discard(profileFolder);
      }
    },
  };
}

async function runProcess(
  order: MeasureOrder,
  {
    reaper,
    signal,
    env,
    memoryLimitBytes = defaultMemoryLimitBytes,
  }: LighthouseOptions & { signal: AbortSignal },
): Promise<MeasuredRun> {
  const child = start(order.profileFolder, env);
  const { pid } = child;
  if (pid === undefined) throw ((await once(child, 'error')) as [Error])[0];
  reaper.watch(order.profileFolder, pid);
  const meter = startCpuMeter(pid);
  const ended = Promise.withResolvers<Measured>();
  ended.promise.catch(() => undefined);
  const stop = (reason: unknown) => ended.reject(reason);
  listen(child, ended);
  const onAbort = () => stop(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  // It may have come while the way was made ready.
  if (signal.aborted) onAbort();
  const deadline = setTimeout(() => stop(tooSlow(order.timeoutMs)), order.timeoutMs + analysisMs);
  const memoryWatch = setInterval(() => {
    const bytes = readProcessTree(pid).reduce((sum, one) => sum + one.bytes, 0);
    if (bytes > memoryLimitBytes) stop(tooMuchMemory());
  }, checkEveryMs);
  try {
    child.send(order);
    const measured = await ended.promise;
    return { ...measured, otherLoad: meter.read() };
  } finally {
    clearTimeout(deadline);
    clearInterval(memoryWatch);
    signal.removeEventListener('abort', onAbort);
    await endGroup(child, pid);
  }
}

function start(profileFolder: string, env: LighthouseOptions['env']): ChildProcess {
  return fork(join(import.meta.dirname, 'main.ts'), {
    // A group of its own, to be killed as a whole.
    detached: true,
    serialization: 'advanced',
    // Nothing of the worker's configuration belongs there. The reaper knows the process by the folder.
    env: { ...env, HOME: profileFolder, TMPDIR: profileFolder },
    execArgv: ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${heapMegabytes}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

function listen(child: ChildProcess, ended: PromiseWithResolvers<Measured>): void {
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-lastWordsLength);
  });
  child.on('message', (reply: MeasureReply) => {
    if (reply.kind === 'measured') ended.resolve(reply.measured);
    else if (reply.kind === 'refused') ended.reject(new AppError(reply.code, reply.detail));
    else {
      const error = new Error(reply.message);
      if (reply.stack !== undefined) error.stack = reply.stack;
      ended.reject(error);
    }
  });
  child.on('error', ended.reject);
  child.once('exit', (code, signalName) => {
    const cause = new Error(`Lighthouse's process ended (${signalName ?? code}). ${lastWords}`);
    ended.reject(
      new AppError('page_crashed', 'The page could not be measured: its browser ended.', { cause }),
    );
  });
}

async function endGroup(child: ChildProcess, pid: number): Promise<void> {
  const hasExited = child.exitCode !== null || child.signalCode !== null;
  const exited = hasExited ? Promise.resolve() : once(child, 'exit');
  killGroup(pid);
  await exited;
  // What was being started meanwhile.
  killGroup(pid);
}

function tooSlow(timeoutMs: number): AppError {
  return new AppError(
    'page_unresponsive',
    `The page was not measured within ${(timeoutMs + analysisMs) / 1_000} s: it never comes to rest.`,
  );
}

function tooMuchMemory(): AppError {
  const detail = 'The page took more memory than one page may, and was ended.';
  return new AppError('page_crashed', detail, { isFinal: true });
}
