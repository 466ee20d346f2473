import type { WaitingProxy } from '../../shared/egress/types.ts';
import { AppError } from '../../shared/errors.ts';
import { findUnprivilegedAccount } from '../processes/account.ts';
import { type Reaper, startReaper } from '../processes/reaper.ts';
import { SparePage } from './blank-page.ts';
import { findExecutable } from './executable.ts';
import { prepareFonts } from './fonts.ts';
import { ChromiumStartError, LaunchedChromium, type LaunchOptions } from './launched-chromium.ts';
import { type BrowserLog, silentLog } from './log.ts';
import { startMemoryGuard } from './memory-guard.ts';
import { deleteStaleProfiles } from './profile.ts';
import { watchPulse } from './pulse.ts';
import { findReachableFolder } from './reachable-folder.ts';

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

export type SandboxPolicy = 'require' | 'auto' | 'off';

export interface ChromiumDescription {
  path: string;
  version: string;
  kind: 'headless-shell' | 'chromium';
  pid: number;
  sandbox: boolean;
  /** Started on it so far. */
  jobs: number;
}

/** One Chromium and the jobs in it. A retired one takes no new job and is ended after its last. */
export interface Room {
  readonly chromium: LaunchedChromium;
  readonly sparePage: SparePage;
  readonly pulse: Disposable;
  jobs: number;
  active: number;
  retired: boolean;
  /** The process that was last ended for its memory, `at` on the clock of `performance.now()`. */
  endedForMemory: { pid: number; at: number; isHeard: boolean } | null;
}

type Parts = Pick<LaunchOptions, 'executable' | 'fontEnv' | 'account'>;

const defaultMemoryLimitBytes = 2 * 1024 ** 3;

/** Keeps one Chromium running for new jobs, and replaces it while the old one drains. */
export class ChromiumKeeper implements AsyncDisposable {
  readonly #options: ChromiumOptions;
  readonly #log: BrowserLog;
  readonly #rooms = new Set<Room>();
  #parts: Promise<Parts> | undefined;
  #current: Promise<Room> | undefined;
  #newest: Room | undefined;
  #reaper: Reaper | undefined;
  #memoryGuard: Disposable | undefined;
  #disposed = false;

  constructor(options: ChromiumOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLog;
  }

  async warmUp(): Promise<void> {
    await this.#findRoom();
  }

  /** Counts the caller in; every `enter` is followed by one `leave`. */
  async enter(): Promise<Room> {
    const room = await this.#findRoom();
    room.jobs++;
    room.active++;
    if (room.jobs >= (this.#options.jobsPerBrowser ?? 200))
      this.#retire(room, 'it has served its number of jobs');
    return room;
  }

  leave(room: Room): void {
    room.active--;
    this.#endIfDrained(room);
    this.prepareNext(room);
  }

  /** Opens the page of a job that is still to come, unless there is one. */
  prepareNext(room: Room): void {
    if (!room.retired) room.sparePage.prepare();
  }

  /** Ends a Chromium that cannot be trusted, with all jobs in it. */
  replace(room: Room, reason: string): void {
    this.#retire(room, reason);
    void this.#end(room);
  }

  describe(): ChromiumDescription | null {
    const room = this.#newest;
    if (!room?.chromium.isConnected) return null;
    const { executable, pid, sandbox } = room.chromium;
    const { path, version, kind } = executable;
    return { path, version, kind, pid, sandbox, jobs: room.jobs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#memoryGuard?.[Symbol.dispose]();
    await this.#current?.catch(() => {});
    await Promise.all([...this.#rooms].map((room) => this.#end(room)));
    await this.#reaper?.[Symbol.asyncDispose]();
  }

  async #findRoom(): Promise<Room> {
    for (;;) {
      if (this.#disposed) throw new AppError('unavailable', 'This worker is shutting down.');
      const pending = (this.#current ??= this.#launch());
      try {
        const room = await pending;
        if (room.chromium.isConnected && !room.retired) return room;
        if (!room.chromium.isConnected) this.replace(room, 'it has ended');
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

  async #launch(): Promise<Room> {
    this.#parts ??= this.#prepare();
    // A failure is not kept: the operator may mend the cause while we run.
    this.#parts.catch(() => (this.#parts = undefined));
    const parts = await this.#parts;
    this.#reaper ??= startReaper();
    const chromium = await this.#start({ ...parts, reaper: this.#reaper });
    const { pid, sandbox } = chromium;
    const { path, version } = parts.executable;
    this.#log.info({ path, version, chromiumPid: pid, sandbox, uid: parts.account?.uid }, 'Chromium started');
    this.#options.onStart?.();
    return this.#addRoom(chromium);
  }

  async #start(launch: Omit<LaunchOptions, 'sandbox'>): Promise<LaunchedChromium> {
    const policy = this.#options.sandbox ?? 'auto';
    const staysRoot = process.getuid?.() === 0 && launch.account === undefined;
    if (policy !== 'off' && !staysRoot) {
      try {
        return await LaunchedChromium.launch({ ...launch, sandbox: true });
      } catch (error) {
        // Only what says that there can be no sandbox here: any other failure is no reason to go without.
        if (policy === 'require' || !(error instanceof ChromiumStartError && error.lacksSandbox)) throw error;
      }
    }
    const reason =
      policy === 'off'
        ? 'BROWSER_SANDBOX=off'
        : staysRoot
          ? 'this process is root and cannot become another user, and Chromium has no sandbox as root'
          : 'the kernel does not let it make user namespaces';
    if (policy === 'require') throw new Error(`BROWSER_SANDBOX=require, and ${reason}`);
    this.#log.warn(
      { reason },
      'Chromium runs without its sandbox: a page that breaks out of it has its user’s rights',
    );
    return await LaunchedChromium.launch({ ...launch, sandbox: false });
  }

  #addRoom(chromium: LaunchedChromium): Room {
    const answerWithinMs = this.#options.answerWithinMs ?? 10_000;
    const room: Room = {
      chromium,
      sparePage: new SparePage(chromium, this.#options.openProxy),
      pulse: watchPulse(chromium, answerWithinMs, () => this.replace(room, 'it does not answer')),
      jobs: 0,
      active: 0,
      retired: false,
      endedForMemory: null,
    };
    this.prepareNext(room);
    this.#rooms.add(room);
    this.#newest = room;
    this.#memoryGuard ??= this.#guardMemory();
    return room;
  }

  async #prepare(): Promise<Parts> {
    const { chromePath } = this.#options;
    const account = findUnprivilegedAccount();
    const dataFolder = findReachableFolder(this.#options.dataFolder, account);
    const [executable, fontEnv] = await Promise.all([
      findExecutable({ dataFolder, account, log: this.#log, ...(chromePath ? { chromePath } : {}) }),
      prepareFonts(dataFolder, account),
      deleteStaleProfiles(),
    ]);
    return { executable, fontEnv, account };
  }

  #guardMemory(): Disposable {
    return startMemoryGuard({
      rooms: this.#rooms,
      limitBytes: this.#options.memoryLimitBytes ?? defaultMemoryLimitBytes,
      log: this.#log,
      retire: (room, reason) => {
        this.#retire(room, reason);
        this.#endIfDrained(room);
      },
      replace: (room, reason) => this.replace(room, reason),
    });
  }

  #retire(room: Room, reason: string): void {
    if (room.retired) return;
    room.retired = true;
    this.#options.onReplacement?.(reason);
    this.#log.info({ chromiumPid: room.chromium.pid, jobs: room.jobs, reason }, 'Chromium is being replaced');
  }

  #endIfDrained(room: Room): void {
    if (room.retired && room.active === 0) void this.#end(room);
  }

  async #end(room: Room): Promise<void> {
    room.pulse[Symbol.dispose]();
    await room.chromium.kill();
    await room.sparePage.drop();
    this.#rooms.delete(room);
  }
}
