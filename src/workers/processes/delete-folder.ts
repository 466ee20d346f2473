import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Deletes a folder that somebody else may still be changing. Node's own way walks by paths, in which a folder can be
 * swapped for a link meanwhile, and so leads root elsewhere; `rm` goes by open folders and follows no link.
 * @throws Error where something is left.
 */
export async function deleteFolder(path: string): Promise<void> {
  const child = spawn('/bin/rm', ['-rf', '--one-file-system', '--', path], { stdio: 'ignore', env: {} });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${path} could not be deleted`);
}
