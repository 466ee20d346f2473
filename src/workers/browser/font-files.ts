import { createHash } from 'node:crypto';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';

import { type Account, canEnter } from '../processes/account.ts';
import { fillOnce } from '../processes/fill-once.ts';
import { unpackApart } from './unpack-apart.ts';

/** Of scripts that neither DejaVu nor Noto Sans has; they come compressed, those of East Asia in a hundred parts. */
const webFonts = [
  ...[
    'jp',
    'kr',
    'sc',
    'thai',
    'bengali',
    'tamil',
    'telugu',
    'kannada',
    'malayalam',
    'gujarati',
    'gurmukhi',
    'oriya',
    'sinhala',
    'ethiopic',
    'khmer',
  ].map((script) => `@fontsource-variable/noto-sans-${script}`),
  '@fontsource-variable/noto-nastaliq-urdu',
  // Of these there is no variable font.
  ...['myanmar', 'thaana', 'cherokee', 'syriac', 'javanese', 'balinese', 'ol-chiki', 'meetei-mayek'].map(
    (script) => `@fontsource/noto-sans-${script}`,
  ),
  '@fontsource/noto-serif-tibetan',
];
const webFont = /-(wght|400|700)-normal\.woff2$/;
/** The parts that stand in every package; Noto Sans itself has them. */
const commonParts =
  /-(latin|latin-ext|cyrillic|cyrillic-ext|greek|greek-ext|vietnamese|math|symbols)-(wght|400|700)/;

/** Where an installed package stands. @throws Error when it is not installed. */
function findFontPackage(name: string): string {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch (error) {
    throw new Error(`The font package ${name} is not installed; pages would be drawn without text`, {
      cause: error,
    });
  }
}

/**
 * Unpacks the web fonts of the npm packages into `<dataFolder>/fonts-<version>` (31 MB, a second, once per
 * version), since Chromium takes no compressed font from the system.
 * @returns that folder.
 */
export async function unpackFonts(dataFolder: string): Promise<string> {
  const folders = webFonts.map(findFontPackage);
  const folder = resolve(dataFolder, `fonts-${await hashVersions(folders)}`);
  await fillOnce(folder, (unfinished) => unpackApart('fonts', unfinished));
  return folder;
}

/** The work of it: unpacks everything into `folder`. */
export async function fillFonts(folder: string): Promise<void> {
  const { default: decompress } = await import('woff2-encoder/decompress');
  for (const file of await listWebFonts(webFonts.map(findFontPackage))) {
    const name = `${file.split('/').at(-1)?.replace('.woff2', '')}.ttf`;
    await writeFile(join(folder, name), await decompress(await readFile(file)));
  }
}

/**
 * The folders of installed packages, or copies of them in `dataFolder` where the account of Chromium cannot enter
 * them, as in a project under /root.
 */
export async function findReachableFonts(
  packages: readonly string[],
  dataFolder: string,
  account: Account | undefined,
): Promise<string[]> {
  const folders = packages.map(findFontPackage);
  return await Promise.all(
    folders.map(async (folder) => {
      if (account === undefined || canEnter(account, folder)) return folder;
      const copy = resolve(dataFolder, `${basename(folder)}-${await hashVersions([folder])}`);
      await fillOnce(copy, (unfinished) => cp(folder, unfinished, { recursive: true }));
      return copy;
    }),
  );
}

async function listWebFonts(packageFolders: string[]): Promise<string[]> {
  const files: string[] = [];
  for (const folder of packageFolders) {
    const names = await readdir(join(folder, 'files'));
    const wanted = names.filter((name) => webFont.test(name) && !commonParts.test(name));
    files.push(...wanted.map((name) => join(folder, 'files', name)));
  }
  return files;
}

async function hashVersions(packageFolders: string[]): Promise<string> {
  const manifests = await Promise.all(
    packageFolders.map(async (folder) => {
      const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      const { name, version } = manifest as { name: string; version: string };
      return `${name}@${version}`;
    }),
  );
  return createHash('sha256').update(manifests.join()).digest('hex').slice(0, 12);
}
