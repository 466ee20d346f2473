import { chmodSync, mkdirSync } from 'node:fs';
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes a folder that every account may enter, whatever our umask; one that stands is left as it is. */
export function makeOpenFolder(folder: string): void {
  if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o755);
}

/** Lets every account read what is in a folder, and run what its owner may run. */
export async function openToAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    await chmod(path, (mode & 0o777) | ((mode & 0o100) === 0 ? 0o444 : 0o555));
  }
}
