import { join } from 'node:path';

/** Of `sockaddr_un` (unix(7)), without the zero at its end. */
const longestPath = 107;

/** Where a Unix socket may stand in a folder; undefined where Linux takes no path as long as that. */
export function socketPath(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  return Buffer.byteLength(path) <= longestPath ? path : undefined;
}
