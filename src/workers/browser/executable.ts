import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { readChildEnvironment } from '../../shared/child-environment.ts';
import { findProgramOnPath } from '../../shared/programs-on-path.ts';
import type { Account } from '../processes/account.ts';
import { unpackBundledChromium } from './bundled-chromium.ts';
import type { BrowserLog } from './log.ts';

const run = promisify(execFile);

export interface ChromiumExecutable {
  path: string;
  /** As it says itself, e.g. `153.0.8010.0`. */
  version: string;
  /** The headless shell and the full browser take some flags under different names. */
  kind: 'headless-shell' | 'chromium';
  /** Variables that it needs to start (`LD_LIBRARY_PATH` where the system lacks NSS). */
  env: Record<string, string>;
}

export interface FindExecutableOptions {
  /** An operator's choice; when set, nothing else is tried. */
  chromePath?: string;
  /** Where the bundled one is unpacked. */
  dataFolder: string;
  /** Folders to look in, separated as in PATH. Default: PATH. */
  searchPath?: string;
  /** Whom it will run as; default: ourselves. */
  account?: Account | undefined;
  log: BrowserLog;
}

// The shell first: it starts sooner and draws faster than the full browser.
const namesOnPath = ['chromium-headless-shell', 'chromium', 'google-chrome', 'google-chrome-stable'];

/**
 * Finds a Chromium that starts: the operator's, one on PATH, or the bundled headless shell.
 * @throws Error saying which piece is missing.
 */
export async function findExecutable(options: FindExecutableOptions): Promise<ChromiumExecutable> {
  const { account } = options;
  if (options.chromePath) return probe(options.chromePath, {}, account);
  for (const name of namesOnPath) {
    const path = findProgramOnPath(name, options.searchPath);
    if (path === undefined) continue;
    try {
      return await probe(path, {}, account);
    } catch (error) {
      options.log.warn(
        { path, reason: String(error) },
        'Chromium on PATH does not start; trying the next one',
      );
    }
  }
  const bundled = await unpackBundledChromium(options.dataFolder);
  try {
    return await probe(bundled.path, {}, account);
  } catch {
    // A system without NSS: only then, since the system's own libraries are the patched ones.
    return probe(bundled.path, { LD_LIBRARY_PATH: bundled.libraryFolder }, account);
  }
}

async function probe(
  path: string,
  env: Record<string, string>,
  account: Account | undefined,
): Promise<ChromiumExecutable> {
  let output: string;
  try {
    const { stdout } = await run(path, ['--version'], {
      ...account,
      cwd: '/',
      env: { ...readChildEnvironment(), HOME: '/nonexistent', ...env },
      timeout: 20_000,
    });
    output = stdout;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Chromium at ${path} does not start: ${reason}`, { cause: error });
  }
  const version = /\d+(?:\.\d+){1,3}/.exec(output)?.[0];
  if (!version) throw new Error(`${path} is no Chromium: it answers --version with "${output.trim()}"`);
  return { path, version, kind: /headless[-_]shell/i.test(path) ? 'headless-shell' : 'chromium', env };
}
