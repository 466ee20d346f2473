import type { WaitingProxy } from '../../shared/egress/types.ts';
import { AppError } from '../../shared/errors.ts';
import { type Reaper, startReaper } from '../processes/reaper.ts';
import { SparePage } from './blank-page.ts';
import type { BrowserInstance } from './browser-instance.ts';
import { type ChromiumParts, prepareChromium } from './chromium-parts.ts';
import type { LaunchedChromium } from './launched-chromium.ts';
import { type BrowserLog, silentLog } from './log.ts';
import { startMemoryGuard } from './memory-guard.ts';
import { watchHeartbeat } from './heartbeat.ts';
import { launchBySandboxPolicy, type SandboxPolicy } from './sandbox-policy.ts';

export interface ChromiumOptions {
  /** Holds the unpacked Chromium and the font cache. */
  dataFolder: string;
  /** An operator's own Chromium; default: one on PATH, else the bundled one. */
  chromePath?: string;
  log?: BrowserLog;
  /** Jobs after which a Chromium is replaced. Default 200. */
  jobsPerBrowser?: number;
  /** Memory of the whole process tree past which a page is ended or Chromium replaced. Default 2 GiB. */
  memoryLimitBytes?: number;
  /** A Chromium that does not answer for so long is replaced. Default 10,000. */
  answerWithinMs?: number;
  /** Opens proxies for pages that are opened before their job; without it none is. */
  openProxy?: () => Promise<WaitingProxy>;
  /** Told of each start. */
  onStart?: () => void;
  /** Told of each Chromium that takes no further job; the reasons are few and fixed. */
  onReplacement?: (reason: string) => void;
  /** `auto`: on where the kernel allows it. `require`: no Chromium without it. Default `auto`. */
  sandbox?: SandboxPolicy;
}

export interface ChromiumDescription {
  path: string;
  version: string;
  kind: 'headless-shell' | 'chromium';
  pid: number;
  sandbox: boolean;
  /** Started on it so far. */
  jobs: number;
}

const defaultMemoryLimitBytes = 2 * 1024 ** 3;

/** Keeps one Chromium running for new jobs, and replaces it while the old one ends its jobs. */
export class ChromiumKeeper implements AsyncDisposable {
  readonly #options: ChromiumOptions;
  readonly #log: BrowserLog;
  readonly #instances = new Set<BrowserInstance>();
  #parts: Promise<ChromiumParts> | undefined;
  #current: Promise<BrowserInstance> | undefined;
  #newest: BrowserInstance | undefined;
  #successor: Promise<BrowserInstance> | undefined;
  #reaper: Reaper | undefined;
  #memoryGuard: Disposable | undefined;
  #disposed = false;

  constructor(options: ChromiumOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLog;
  }

  async warmUp(): Promise<void> {
    await this.#getInstance();
  }

  /** Counts the caller in; every `enter` is followed by one `leave`. */
  async enter(): Promise<BrowserInstance> {
    const instance = await this.#getInstance();
    instance.jobs++;
    instance.active++;
    if (instance.jobs >= (this.#options.jobsPerBrowser ?? 200)) {
      this.#startSuccessor(instance, 'it has served its number of jobs');
    }
    return instance;
  }

  leave(instance: BrowserInstance): void {
    instance.active--;
    this.#endIfIdle(instance);
    this.prepareNext(instance);
  }

  /** Opens the page of a job that is still to come, unless there is one. */
  prepareNext(instance: BrowserInstance): void {
    if (!instance.retired) instance.sparePage.prepare();
  }

  /** Gives a Chromium no new job, and ends it after its last. */
  retire(instance: BrowserInstance, reason: string): void {
    this.#stopUsing(instance, reason);
    this.#endIfIdle(instance);
  }

  /** Ends a Chromium that cannot be trusted, with all jobs in it. */
  replace(instance: BrowserInstance, reason: string): void {
    this.#stopUsing(instance, reason);
    void this.#end(instance);
  }

  describe(): ChromiumDescription | null {
    const instance = this.#newest;
    if (!instance?.chromium.isConnected) return null;
    const { executable, pid, sandbox } = instance.chromium;
    const { path, version, kind } = executable;
    return { path, version, kind, pid, sandbox, jobs: instance.jobs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#memoryGuard?.[Symbol.dispose]();
    await this.#current?.catch(() => {});
    await this.#successor?.catch(() => {});
    await Promise.all([...this.#instances].map((instance) => this.#end(instance)));
    await this.#reaper?.[Symbol.asyncDispose]();
  }

  /** The old one serves until the new one is there: no job waits for a start. */
  #startSuccessor(old: BrowserInstance, reason: string): void {
    if (this.#successor !== undefined || old.retired) return;
    const launch = (this.#successor = this.#launch());
    launch
      .then(() => {
        this.#current = launch;
        this.retire(old, reason);
      })
      // The old one goes on, and its next job tries again.
      .catch((error: unknown) => this.#log.warn({ err: error }, 'The successor of Chromium does not start'))
      .finally(() => (this.#successor = undefined));
  }

  async #getInstance(): Promise<BrowserInstance> {
    for (;;) {
      if (this.#disposed) throw new AppError('unavailable', 'This worker is shutting down.');
      const pending = (this.#current ??= this.#successor ?? this.#launch());
      try {
        const instance = await pending;
        if (instance.chromium.isConnected && !instance.retired) return instance;
        if (!instance.chromium.isConnected) this.replace(instance, 'it has ended');
      } catch (cause) {
        if (this.#current === pending) this.#current = undefined;
        if (cause instanceof AppError) throw cause;
        this.#log.warn({ err: cause }, 'Chromium does not start');
        throw new AppError(
          'unavailable',
          'The browser does not start; the operator finds the reason in the log.',
          {
            cause,
          },
        );
      }
      if (this.#current === pending) this.#current = undefined;
    }
  }

  async #launch(): Promise<BrowserInstance> {
    this.#parts ??= prepareChromium({ ...this.#options, log: this.#log });
    // A failure is not kept: the operator may mend the cause while we run.
    this.#parts.catch(() => (this.#parts = undefined));
    const parts = await this.#parts;
    this.#reaper ??= startReaper();
    const policy = this.#options.sandbox ?? 'auto';
    const chromium = await launchBySandboxPolicy({ ...parts, reaper: this.#reaper }, policy, this.#log);
    const { pid, sandbox } = chromium;
    const { path, version } = parts.executable;
    this.#log.info({ path, version, chromiumPid: pid, sandbox, uid: parts.account?.uid }, 'Chromium started');
    this.#options.onStart?.();
    return this.#addInstance(chromium);
  }

  #addInstance(chromium: LaunchedChromium): BrowserInstance {
    const answerWithinMs = this.#options.answerWithinMs ?? 10_000;
    const instance: BrowserInstance = {
      chromium,
      sparePage: new SparePage(chromium, this.#options.openProxy),
      heartbeat: watchHeartbeat(chromium, answerWithinMs, () => this.replace(instance, 'it does not answer')),
      jobs: 0,
      active: 0,
      retired: false,
      endedForMemory: null,
      givesWay: false,
    };
    this.prepareNext(instance);
    this.#instances.add(instance);
    this.#newest = instance;
    this.#memoryGuard ??= this.#guardMemory();
    return instance;
  }

  #guardMemory(): Disposable {
    return startMemoryGuard({
      instances: this.#instances,
      limitBytes: this.#options.memoryLimitBytes ?? defaultMemoryLimitBytes,
      log: this.#log,
      renew: (instance, reason) => this.#startSuccessor(instance, reason),
      retire: (instance, reason) => this.retire(instance, reason),
      replace: (instance, reason) => this.replace(instance, reason),
    });
  }

  #stopUsing(instance: BrowserInstance, reason: string): void {
    if (instance.retired) return;
    instance.retired = true;
    this.#options.onReplacement?.(reason);
    this.#log.info(
      { chromiumPid: instance.chromium.pid, jobs: instance.jobs, reason },
      'Chromium is being replaced',
    );
  }

  #endIfIdle(instance: BrowserInstance): void {
    if (instance.retired && instance.active === 0) void this.#end(instance);
  }

  async #end(instance: BrowserInstance): Promise<void> {
    instance.heartbeat[Symbol.dispose]();
    await instance.chromium.kill();
    await instance.sparePage.drop();
    this.#instances.delete(instance);
  }
}
