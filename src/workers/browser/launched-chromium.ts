import { statfs } from 'node:fs/promises';

import puppeteer, { type Browser, type CDPSession } from 'puppeteer-core';

import { killGroup } from '../processes/kill-group.ts';
import type { Reaper } from '../processes/reaper.ts';
import type { ChromiumExecutable } from './executable.ts';
import { chromiumFlags } from './flags.ts';
import { readProcessTree } from './process-tree.ts';
import { createProfile } from './profile.ts';
import { userAgentOf } from './user-agent.ts';

export interface LaunchOptions {
  executable: ChromiumExecutable;
  fontEnv: Record<string, string>;
  sandbox: boolean;
  reaper: Reaper;
}

/** One running Chromium: its process group, its profile folder and its connection. */
export class LaunchedChromium {
  readonly executable: ChromiumExecutable;
  readonly browser: Browser;
  /** Commands that are the browser's, not a page's. */
  readonly session: CDPSession;
  readonly pid: number;
  readonly sandbox: boolean;
  readonly #profileFolder: string;
  readonly #reaper: Reaper;
  #closed: Promise<void> | undefined;

  private constructor(
    browser: Browser,
    session: CDPSession,
    pid: number,
    profileFolder: string,
    options: LaunchOptions,
  ) {
    this.executable = options.executable;
    this.browser = browser;
    this.session = session;
    this.pid = pid;
    this.sandbox = options.sandbox;
    this.#profileFolder = profileFolder;
    this.#reaper = options.reaper;
  }

  /** @throws Error when Chromium does not start; with the sandbox on, the caller may try again without. */
  static async launch(options: LaunchOptions): Promise<LaunchedChromium> {
    const profileFolder = await createProfile();
    options.reaper.watch(profileFolder);
    let pid: number | undefined;
    try {
      const browser = await puppeteer.launch({
        executablePath: options.executable.path,
        args: chromiumFlags(options.executable, {
          profileFolder,
          sandbox: options.sandbox,
          sharedMemory: await hasSharedMemory(),
          userAgent: userAgentOf(options.executable.version, 'desktop'),
        }),
        ignoreDefaultArgs: true,
        pipe: true,
        defaultViewport: null,
        // Saves a command for each page; nobody reads DevTools' issues here.
        issuesEnabled: false,
        waitForInitialPage: false,
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
        // Longer than any page may take: deadlines are ours, and a late answer must not look like a crash.
        protocolTimeout: 300_000,
        timeout: 20_000,
        env: cleanEnvironment(profileFolder, options),
      });
      pid = browser.process()?.pid;
      if (!pid) throw new Error('Chromium has no process id');
      options.reaper.watch(profileFolder, pid);
      const session = await browser.target().createCDPSession();
      return new LaunchedChromium(browser, session, pid, profileFolder, options);
    } catch (error) {
      // Puppeteer ends only what it could not connect to.
      if (pid) killGroup(pid);
      await options.reaper.discard(profileFolder);
      throw error;
    }
  }

  get isConnected(): boolean {
    return this.browser.connected && this.#closed === undefined;
  }

  /** Bytes held by the whole process tree. */
  readMemory(): { totalBytes: number; largestRenderer: { pid: number; bytes: number } | null } {
    const tree = readProcessTree(this.pid);
    const renderers = tree.filter((one) => one.isRenderer).toSorted((a, b) => b.bytes - a.bytes);
    return {
      totalBytes: tree.reduce((sum, one) => sum + one.bytes, 0),
      largestRenderer: renderers[0] ?? null,
    };
  }

  /** Ends the whole process group at once and deletes the profile; never fails. */
  async kill(): Promise<void> {
    this.#closed ??= this.#kill();
    await this.#closed;
  }

  async #kill(): Promise<void> {
    const { browser } = this;
    const exited = new Promise<void>((resolve) => {
      const child = browser.process();
      if (!child || child.exitCode !== null || child.signalCode !== null) resolve();
      else child.once('exit', () => resolve());
    });
    // There is nothing to save: a kill is quicker than a polite close, and it cannot hang.
    killGroup(this.pid);
    await exited;
    killGroup(this.pid);
    await browser.disconnect().catch(() => {});
    await this.#reaper.discard(this.#profileFolder);
  }
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
  const env: Record<string, string> = {
    ...options.executable.env,
    ...options.fontEnv,
    HOME: profileFolder,
    TMPDIR: profileFolder,
    LANG: 'en_US.UTF-8',
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  };
  if (process.env['TZ']) env['TZ'] = process.env['TZ'];
  return env;
}
