import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statfs } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';

import puppeteer, { type Browser, type CDPSession } from 'puppeteer-core';

import { readChildEnvironment } from '../../shared/child-environment.ts';
import type { Account } from '../processes/account.ts';
import { killGroup } from '../processes/kill-group.ts';
import { type ProcessMemory, readProcessTree } from '../../shared/processes/process-tree.ts';
import type { Reaper } from '../processes/reaper.ts';
import type { ChromiumExecutable } from './executable.ts';
import { withDeadline } from './deadline.ts';
import { chromiumFlags } from './flags.ts';
import { PipeTransport } from './pipe-transport.ts';
import { createProfile, listLockFiles } from './profile.ts';
import { userAgentOf } from './user-agent.ts';

export interface LaunchOptions {
  executable: ChromiumExecutable;
  fontEnv: Record<string, string>;
  sandbox: boolean;
  reaper: Pick<Reaper, 'watch' | 'discard'>;
  /** Whom it runs as. Default: ourselves. */
  account?: Account | undefined;
  /** Default: a new folder. */
  profileFolder?: string;
  /** It belongs to our own process group, and is ended with that. Default: it leads one of its own. */
  joinsOurGroup?: boolean;
  /** Events of a page's console and errors are heard too. */
  hearsConsole?: boolean;
}

const startWithinMs = 20_000;
/** Enough to tell why it did not start. */
const maxErrorCharacters = 8 * 1024;

/** One running Chromium: its process group, its profile folder and its connection. */
export class LaunchedChromium {
  readonly executable: ChromiumExecutable;
  readonly browser: Browser;
  /** Commands that are the browser's, not a page's. */
  readonly session: CDPSession;
  readonly pid: number;
  readonly sandbox: boolean;
  readonly #process: ChildProcess;
  readonly #profileFolder: string;
  readonly #reaper: LaunchOptions['reaper'];
  #closed: Promise<void> | undefined;

  private constructor(
    browser: Browser,
    session: CDPSession,
    child: ChildProcess & { pid: number },
    profileFolder: string,
    options: LaunchOptions,
  ) {
    this.executable = options.executable;
    this.browser = browser;
    this.session = session;
    this.pid = child.pid;
    this.sandbox = options.sandbox;
    this.#process = child;
    this.#profileFolder = profileFolder;
    this.#reaper = options.reaper;
  }

  /** @throws ChromiumStartError when Chromium does not start. */
  static async launch(options: LaunchOptions): Promise<LaunchedChromium> {
    const profileFolder = options.profileFolder ?? (await createProfile(options.account));
    for (const file of listLockFiles()) options.reaper.watch(file);
    options.reaper.watch(profileFolder);
    let child: ChildProcess | undefined;
    let errors = '';
    try {
      child = await startProgram(profileFolder, options);
      const { pid } = child;
      if (!hasPid(child) || pid === undefined) throw await failureOfStart(child);
      options.reaper.watch(profileFolder, pid);
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        if (errors.length < maxErrorCharacters) errors += text;
      });
      const connecting = connect(child, options.hearsConsole ?? false);
      const browser = await withDeadline(
        connecting,
        startWithinMs,
        () => new Error(`It did not answer within ${startWithinMs} ms`),
      );
      const session = await browser.target().createCDPSession();
      return new LaunchedChromium(browser, session, child, profileFolder, options);
    } catch (error) {
      if (child?.pid) killGroup(child.pid);
      await options.reaper.discard(profileFolder);
      throw new ChromiumStartError(error, errors);
    }
  }

  get isConnected(): boolean {
    return this.browser.connected && this.#closed === undefined;
  }

  /** Bytes held by the whole process tree; its renderers, the largest first. */
  readMemory(): { totalBytes: number; renderers: ProcessMemory[] } {
    const tree = readProcessTree(this.pid);
    return {
      totalBytes: tree.reduce((sum, one) => sum + one.bytes, 0),
      renderers: tree.filter((one) => one.isRenderer).toSorted((a, b) => b.bytes - a.bytes),
    };
  }

  /** Ends the whole process group at once and deletes the profile; never fails. */
  async kill(): Promise<void> {
    this.#closed ??= this.#kill();
    await this.#closed;
  }

  async #kill(): Promise<void> {
    const child = this.#process;
    const hasExited = child.exitCode !== null || child.signalCode !== null;
    const exited = hasExited ? Promise.resolve() : once(child, 'exit');
    // There is nothing to save: a kill is quicker than a polite close, and it cannot hang.
    killGroup(this.pid);
    await exited;
    killGroup(this.pid);
    await this.browser.disconnect().catch(() => {});
    await this.#reaper.discard(this.#profileFolder);
  }
}

/** Chromium did not start; what it printed of the reason is part of the message. */
export class ChromiumStartError extends Error {
  /** The kernel does not give it what its sandbox needs. */
  readonly lacksSandbox: boolean;

  constructor(cause: unknown, printed: string) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`Chromium does not start: ${reason}${printed === '' ? '' : `\n${printed.trim()}`}`, { cause });
    this.lacksSandbox =
      /No usable sandbox|move to new namespace|setuid sandbox|credentials\.cc|zygote_host_impl/i.test(
        printed,
      );
  }
}

const hasPid = (child: ChildProcess): child is ChildProcess & { pid: number } => child.pid !== undefined;

async function failureOfStart(child: ChildProcess): Promise<Error> {
  const [error] = (await once(child, 'error')) as [Error];
  return error;
}

/** Started by ourselves, not by Puppeteer, which can only start it as the user that we are. */
async function startProgram(profileFolder: string, options: LaunchOptions): Promise<ChildProcess> {
  const { executable, sandbox, account } = options;
  const flags = chromiumFlags(executable, {
    profileFolder,
    sandbox,
    sharedMemory: await hasSharedMemory(),
    userAgent: userAgentOf(executable.version, 'desktop'),
  });
  return spawn(executable.path, flags, {
    ...account,
    cwd: profileFolder,
    env: cleanEnvironment(profileFolder, options),
    // A group of its own, to be killed as a whole.
    detached: options.joinsOurGroup !== true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
}

/** Rejects where the program ends before it answers. */
async function connect(child: ChildProcess, hearsConsole: boolean): Promise<Browser> {
  const [, , , toBrowser, fromBrowser] = child.stdio as [null, null, Readable, Writable, Readable];
  const ended = Promise.withResolvers<never>();
  child.once('exit', (code, signal) => ended.reject(new Error(`It ended at once (${signal ?? code})`)));
  ended.promise.catch(() => {});
  const connecting = puppeteer.connect({
    transport: new PipeTransport(toBrowser, fromBrowser, { hearsConsole }),
    defaultViewport: null,
    // Saves a command for each page; nobody reads DevTools' issues here.
    issuesEnabled: false,
    // Longer than any page may take: deadlines are ours, and a late answer must not look like a crash.
    protocolTimeout: 300_000,
  });
  connecting.catch(() => {});
  return await Promise.race([connecting, ended.promise]);
}

/** Containers often give /dev/shm 64 MB, on which Chromium crashes; temporary files serve, more slowly. */
async function hasSharedMemory(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs('/dev/shm');
    return bavail * bsize >= 512 * 1024 * 1024;
  } catch {
    return false;
  }
}

/** Not ours: Chromium runs foreign code, and our environment holds the passwords of the databases. */
function cleanEnvironment(profileFolder: string, options: LaunchOptions): Record<string, string> {
  return {
    ...readChildEnvironment(),
    ...options.executable.env,
    ...options.fontEnv,
    HOME: profileFolder,
    TMPDIR: profileFolder,
    LANG: 'en_US.UTF-8',
  };
}
