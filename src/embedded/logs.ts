import { closeSync, copyFileSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './home.ts';

const rotateAboveBytes = 10 * 1024 * 1024;
const lookEveryMs = 60_000;

/** A long log becomes `<name>.log.1`, and begins anew: who appends to it goes on with the same file. */
function rotate(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= rotateAboveBytes) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}

/** Opens `logs/<name>.log` to append to, and keeps it from growing without end. */
export function openLog(home: Home, name: string): { readonly fd: number; close(): void } {
  const path = join(home.logs, `${name}.log`);
  rotate(path);
  const fd = openSync(path, 'a', 0o600);
  const timer = setInterval(() => {
    try {
      rotate(path);
    } catch {
      // The disk is full, say: the log goes on.
    }
  }, lookEveryMs).unref();
  return {
    fd,
    close: () => {
      clearInterval(timer);
      closeSync(fd);
    },
  };
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
