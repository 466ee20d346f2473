import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { readChildEnvironment } from './child-environment.ts';

/** npm puts the programs of packages, ours and those of folders above, in front of PATH for what it runs. */
const isOfPackages = (folder: string) => /[/\\]node_modules[/\\]\.bin[/\\]?$/.test(folder);

/**
 * Where the program stands on PATH, first things first. Relative folders, which mean another place to each process,
 * and those of npm packages are passed over.
 * @param searchPath folders separated as in PATH.
 */
export function findProgramOnPath(
  name: string,
  searchPath: string = readChildEnvironment().PATH,
): string | undefined {
  return searchPath
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isOfPackages(folder))
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
