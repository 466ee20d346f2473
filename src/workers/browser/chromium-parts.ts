import { findUnprivilegedAccount } from '../processes/account.ts';
import { findExecutable } from './executable.ts';
import { prepareFonts } from './fonts.ts';
import type { LaunchOptions } from './launched-chromium.ts';
import type { BrowserLog } from './log.ts';
import { deleteStaleProfiles } from './profile.ts';
import { findReachableFolder } from '../processes/reachable-folder.ts';

/** What every Chromium of this process is launched with. */
export type ChromiumParts = Pick<LaunchOptions, 'executable' | 'fontEnv' | 'account'>;

/**
 * Finds a Chromium that starts, and whom it runs as; makes its fonts ready in `dataFolder`.
 * @throws Error saying which piece is missing.
 */
export async function prepareChromium(options: {
  dataFolder: string;
  /** An operator's own; default: one on PATH, else the bundled one. */
  chromePath?: string;
  log: BrowserLog;
}): Promise<ChromiumParts> {
  const { chromePath, log } = options;
  const account = findUnprivilegedAccount();
  const dataFolder = findReachableFolder(options.dataFolder, account);
  const [executable, fontEnv] = await Promise.all([
    findExecutable({ dataFolder, account, log, ...(chromePath ? { chromePath } : {}) }),
    prepareFonts(dataFolder, account),
    deleteStaleProfiles(),
  ]);
  return { executable, fontEnv, account };
}
