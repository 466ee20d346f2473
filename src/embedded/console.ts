import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const program = join(import.meta.dirname, '../../console/build.ts');

/**
 * Builds the console where `npm ci` has not, or its sources have changed since; done in some milliseconds otherwise.
 * The service does not wait for it. @param say told where it fails.
 */
export function buildConsole(say: (line: string) => void): AsyncDisposable {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'pipe'] });
  let problem = '';
  let stopped = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => (problem = (problem + text).slice(-2_000)));
  const ended = once(child, 'close').then(
    ([code]) => {
      if (!stopped && (code !== 0 || problem !== '')) say(`The console was not built: ${problem.trim()}`);
    },
    (error: Error) => say(`The console was not built: ${error.message}`),
  );
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      child.kill();
      await ended.catch(() => undefined);
    },
  };
}
