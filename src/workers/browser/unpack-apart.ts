import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { readChildEnvironment } from '../../shared/child-environment.ts';

const run = promisify(execFile);

/**
 * Fills a folder with the files of npm packages in a process of its own: the 200 MB that unpacking takes would stay with
 * the worker. @throws Error where it fails.
 */
export async function unpackApart(what: 'chromium' | 'fonts', folder: string): Promise<void> {
  const program = join(import.meta.dirname, 'unpack-main.ts');
  await run(process.execPath, ['--disable-warning=ExperimentalWarning', program, what, folder], {
    env: readChildEnvironment(),
  });
}
