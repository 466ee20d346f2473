import { randomBytes } from 'node:crypto';
import { access, rename, rm } from 'node:fs/promises';

import { makeOpenFolder, openToAll } from './open-folder.ts';

/**
 * Makes a folder that never changes again, by `fill`, and that every account may read, unless it stands. It is filled under a name of its own and
 * then renamed, because two processes that start together would otherwise use each other's half.
 * @throws Error where it cannot be made.
 */
export async function fillOnce(folder: string, fill: (unfinished: string) => Promise<void>): Promise<void> {
  if (await exists(folder)) return;
  const unfinished = `${folder}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    makeOpenFolder(unfinished);
    await fill(unfinished);
    await openToAll(unfinished);
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Losing the race to another process is a success: its folder is complete, as ours would have been.
    if (!(await exists(folder))) throw new Error(`${folder} could not be made`, { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
