import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { deleteFolder } from './delete-folder.ts';

/**
 * A small process that outlives this one by a moment. It holds a pipe to us; when the pipe closes, however
 * we ended (kill -9 included), it kills the process groups it was told of and deletes their folders.
 */
export interface Reaper extends AsyncDisposable {
  /**
   * Told first of the folder alone, then also of the program that was started on it. `groupId` is that program's
   * process id and group; the folder must stand in its command line or its environment.
   */
  watch(folder: string, groupId?: number): void;
  /** Deletes the folder of a program that has ended. Never fails: what cannot be deleted now is at our end. */
  discard(folder: string): Promise<void>;
}

export function startReaper(): Reaper {
  const program = fileURLToPath(new URL('./reaper.sh', import.meta.url));
  // Detached: a Ctrl-C in the terminal reaches our whole group, and would take the reaper with us.
  const child: ChildProcess = spawn('/bin/sh', [program], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  child.unref();
  const { stdin } = child;
  if (!stdin) throw new Error('The reaper has no pipe');
  (stdin as { unref?: () => void }).unref?.();
  // Without a reaper the worker still works and cleans up after itself; only kill -9 leaves traces then.
  stdin.on('error', () => {});
  child.on('error', () => {});
  const tell = (line: string): void => void stdin.write(`${line}\n`);

  return {
    watch: (folder, groupId) => tell(`${groupId ?? 0} ${folder}`),
    async discard(folder) {
      // Dying processes may still write into their folder.
      for (let attempt = 0; attempt < 10; attempt++) {
        const isGone = await deleteFolder(folder).then(
          () => true,
          () => false,
        );
        if (isGone) return tell(`- ${folder}`);
        await sleep(50);
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.pid === undefined) return;
      child.ref();
      const ended = once(child, 'exit');
      stdin.end();
      await ended;
    },
  };
}
