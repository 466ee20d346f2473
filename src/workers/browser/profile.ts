import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, rmSync } from 'node:fs';
import { chown, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { tryLockFile } from '../../shared/file-lock.ts';
import type { Account } from '../processes/account.ts';
import { deleteFolder } from '../processes/delete-folder.ts';

const prefix = 'quarry-chromium-';
const lockPrefix = 'quarry-lock-';
const lockName = new RegExp(`^${lockPrefix}(\\d+-[0-9a-f]{12})$`);
const lockFileOf = (owner: string) => join(tmpdir(), lockPrefix + owner);

let own: string | undefined;

/**
 * The name under which this process has profiles. It holds a lock on a file of that name, for as long as it lives: a
 * process id says nothing to a process of another namespace that has the same temporary folder.
 */
function ownName(): string {
  while (own === undefined || !existsSync(lockFileOf(own))) {
    own = undefined;
    const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
    // Whoever cleans up may have seen the file before it was locked, and deleted it.
    if (tryLockFile(lockFileOf(name)) && existsSync(lockFileOf(name))) own = name;
  }
  return own;
}

/**
 * Makes an empty profile folder whose name says whose it is. It stands in the system's temporary folder because Chromium
 * puts a socket below it, and a socket's path may be 107 characters long at most.
 */
export async function createProfile(account?: Account): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${ownName()}-`));
  if (account) await chown(folder, account.uid, account.gid);
  return folder;
}

/** Files of the lock that `createProfile` has taken, to be deleted when this process ends. */
export function listLockFiles(): string[] {
  const lockFile = lockFileOf(ownName());
  return [lockFile, `${lockFile}-journal`];
}

/** Deletes profiles whose owner no longer runs, e.g. after a power cut that took the reaper too. */
export async function deleteStaleProfiles(): Promise<void> {
  const names = await readdir(tmpdir());
  for (const name of names) {
    const owner = lockName.exec(name)?.[1];
    if (owner === undefined || owner === own) continue;
    const folders = names.filter((one) => one.startsWith(`${prefix}${owner}-`));
    // Another user's files cannot be deleted; they are that user's to clean.
    await deleteOf(owner, folders).catch(() => {});
  }
}

async function deleteOf(owner: string, folders: readonly string[]): Promise<void> {
  const lockFile = lockFileOf(owner);
  const found = lstatSync(lockFile);
  if (!found.isFile() || found.uid !== process.getuid?.()) return;
  using lock = tryLockFile(lockFile);
  if (lock === undefined) return;
  for (const folder of folders) await deleteFolder(join(tmpdir(), folder));
  rmSync(lockFile, { force: true });
}
