import { randomBytes } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';

/**
 * Makes a folder that never changes again, by `fill`, unless it stands. It is filled under a name of its own and
 * then renamed, because two processes that start together would otherwise use each other's half.
 * @throws Error where it cannot be made.
 */
export async function fillOnce(folder: string, fill: (unfinished: string) => Promise<void>): Promise<void> {
  if (await exists(folder)) return;
  const unfinished = `${folder}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(unfinished, { recursive: true, mode: 0o755 });
    await fill(unfinished);
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
