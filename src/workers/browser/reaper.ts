import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * A small process that outlives this one by a moment. It holds a pipe to us; when the pipe closes, however
 * we ended (kill -9 included), it kills the Chromium groups it was told of and deletes their profiles.
 */
export interface Reaper extends AsyncDisposable {
  /**
   * Told first of the folder alone, then also of the Chromium started on it. `groupId` is that Chromium's
   * process id and group; the folder must stand in its command line.
   */
  watch(profileFolder: string, groupId?: number): void;
  /** The Chromium has been closed and its profile deleted by us. */
  forget(profileFolder: string): void;
}

export function startReaper(): Reaper {
  const program = fileURLToPath(new URL('./reaper-main.ts', import.meta.url));
  // Detached: a Ctrl-C in the terminal reaches our whole group, and would take the reaper with us.
  const child: ChildProcess = spawn(process.execPath, [program], {
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

  return {
    watch(profileFolder, groupId) {
      stdin.write(`${JSON.stringify({ watch: profileFolder, groupId })}\n`);
    },
    forget(profileFolder) {
      stdin.write(`${JSON.stringify({ forget: profileFolder })}\n`);
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
