import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Of `sockaddr_un` (unix(7)), without the zero at its end. */
const longestPath = 107;

/**
 * Where a Unix socket may stand in a folder; undefined where its path is too long for Linux, or the file system, as
 * some that are shared with a virtual machine, has none.
 */
export async function findSocketPath(folder: string, name: string): Promise<string | undefined> {
  const path = join(folder, name);
  if (Buffer.byteLength(path) > longestPath) return undefined;
  const tried = join(folder, '.sock');
  rmSync(tried, { force: true });
  const server = createServer();
  try {
    await once(server.listen(tried), 'listening');
    chmodSync(tried, 0o700);
    return path;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
