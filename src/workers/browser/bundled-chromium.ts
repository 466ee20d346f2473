import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';

import { fillOnce } from '../processes/fill-once.ts';
import { readTar } from './tar.ts';
import { unpackApart } from './unpack-apart.ts';

const decompress = promisify(brotliDecompress);

export interface BundledChromium {
  path: string;
  /** Holds NSS and its kin, for machines that lack them. */
  libraryFolder: string;
}

/**
 * Unpacks the headless shell of the npm package `@sparticuz/chromium` into `<dataFolder>/chromium-<version>`
 * (about 210 MB, a few seconds, once per version) and answers where it stands.
 * @throws Error when the package is not installed or the folder cannot be written.
 */
export async function unpackBundledChromium(dataFolder: string): Promise<BundledChromium> {
  const { version } = await locatePackage();
  const folder = resolve(dataFolder, `chromium-${version}`);
  await fillOnce(folder, (unfinished) => unpackApart('chromium', unfinished));
  return { path: join(folder, 'headless-shell'), libraryFolder: join(folder, 'lib') };
}

/** The work of it: unpacks everything into `folder`. */
export async function fillChromium(folder: string): Promise<void> {
  const { archiveFolder } = await locatePackage();
  await mkdir(join(folder, 'lib'));
  await Promise.all([
    unpackBinary(join(archiveFolder, 'chromium.br'), join(folder, 'headless-shell')),
    unpackLibraries(join(archiveFolder, 'al2023.tar.br'), folder),
  ]);
}

async function locatePackage(): Promise<{ archiveFolder: string; version: string }> {
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  } catch (error) {
    throw new Error('No Chromium: none on PATH, and the npm package @sparticuz/chromium is not installed', {
      cause: error,
    });
  }
  const packageFolder = resolve(dirname(entry), '..');
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  const { version } = manifest as { version: string };
  return { archiveFolder: join(packageFolder, 'bin'), version };
}

async function unpackBinary(archive: string, target: string): Promise<void> {
  await pipeline(createReadStream(archive), createBrotliDecompress(), createWriteStream(target));
  await chmod(target, 0o755);
}

async function unpackLibraries(archive: string, folder: string): Promise<void> {
  for (const file of readTar(await decompress(await readFile(archive)))) {
    // The archive is trusted, but a name that climbs out is never right.
    if (file.name.includes('..')) continue;
    const target = join(folder, file.name);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, file.content, { mode: file.mode });
  }
}
