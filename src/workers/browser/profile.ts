import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Account } from '../processes/account.ts';

const prefix = 'quarry-chromium-';

/**
 * Makes an empty profile folder whose name says which process owns it. It stands in the system's temporary
 * folder because Chromium puts a socket below it, and a socket's path may be 107 characters long at most.
 */
export async function createProfile(account?: Account): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  if (account) await chown(folder, account.uid, account.gid);
  return folder;
}

/** Deletes profiles whose owner no longer runs, e.g. after a power cut that took the reaper too. */
export async function deleteStaleProfiles(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
    // Another user's folder cannot be deleted; it is that user's to clean.
    if (owner && !isRunning(owner)) await rm(join(tmpdir(), name), { recursive: true }).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
