import { lstatSync } from 'node:fs';

import { type Account, canEnter } from './account.ts';
import { makeOpenFolder } from './open-folder.ts';

/** Where root keeps programs for an account that cannot enter the data folder. */
const sharedFolders = ['/var/cache/quarry', '/var/tmp/quarry-cache'];

/**
 * The data folder, where the account can enter it, else a folder of root's that it can: the project or the data may
 * lie under a closed folder such as /root. It holds what is public (the unpacked Chromium, its fonts, ffmpeg) only.
 * @throws Error where there is no such folder.
 */
export function findReachableFolder(dataFolder: string, account: Account | undefined): string {
  makeOpenFolder(dataFolder);
  if (account === undefined || canEnter(account, dataFolder)) return dataFolder;
  const folder = sharedFolders.find((path) => isRootsOwn(path) && canEnter(account, path));
  if (folder !== undefined) return folder;
  throw new Error(
    `Chromium and ffmpeg run as the unprivileged user ${account.uid}, who can enter none of ${[dataFolder, ...sharedFolders].join(', ')}. ` +
      'Set QUARRY_HOME to a folder that other users may enter.',
  );
}

/** Made where it is missing. False for one that somebody else could have filled. */
function isRootsOwn(path: string): boolean {
  try {
    makeOpenFolder(path);
    const stats = lstatSync(path);
    return stats.isDirectory() && stats.uid === 0 && (stats.mode & 0o022) === 0;
  } catch {
    return false;
  }
}
