import { closeSync, copyFileSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './home.ts';

const rotateAboveBytes = 10 * 1024 * 1024;
const checkEveryMs = 60_000;

/** A long log becomes `<name>.log.1`, and begins anew: who appends to it goes on with the same file. */
function rotate(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= rotateAboveBytes) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}

const watched = new Set<string>();

/** Keeps `logs/<name>.log` from growing without end for as long as this process lives, whoever writes it. */
export function watchLog(home: Home, name: string): void {
  const path = join(home.logs, `${name}.log`);
  const check = (): void => {
    try {
      rotate(path);
    } catch {
      // The disk is full, say: the log goes on.
    }
  };
  check();
  if (watched.has(path)) return;
  watched.add(path);
  setInterval(check, checkEveryMs).unref();
}

/** Opens `logs/<name>.log` to append to. Its owner closes it once it is handed on; it is watched all the same. */
export function openLog(home: Home, name: string): { readonly fd: number; close(): void } {
  watchLog(home, name);
  const fd = openSync(join(home.logs, `${name}.log`), 'a', 0o600);
  return { fd, close: () => closeSync(fd) };
}

export function lastLines(home: Home, name: string, count: number): string {
  try {
    return readFileSync(join(home.logs, `${name}.log`), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(-count)
      .join('\n');
  } catch {
    return '(no log)';
  }
}
