import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
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
  const server = createServer((socket) => socket.destroy());
  try {
    rmSync(tried, { force: true });
    await once(server.listen(tried), 'listening');
    chmodSync(tried, 0o700);
    const client = connect(tried);
    await once(client, 'connect');
    client.destroy();
    return path;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
