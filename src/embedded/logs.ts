import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './home.ts';

const rotateAboveBytes = 10 * 1024 * 1024;

/** Opens `logs/<name>.log` to append to; a long one becomes `<name>.log.1` first. */
export function openLog(home: Home, name: string): { readonly fd: number; close(): void } {
  const path = join(home.logs, `${name}.log`);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > rotateAboveBytes) renameSync(path, `${path}.1`);
  const fd = openSync(path, 'a', 0o600);
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
