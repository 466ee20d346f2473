import { createHash } from 'node:crypto';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';

import { type Account, canEnter } from '../processes/account.ts';
import { fillOnce } from '../processes/fill-once.ts';
import { unpackApart } from './unpack-apart.ts';

/**
 * Chinese, Japanese and Korean, each whole in one file. As web fonts they come in a hundred parts each, and Chromium
 * goes through all files for each font that a page names: 5 ms each time.
 */
const eastAsianFonts = ['sc', 'jp', 'kr'].map((region) => `@expo-google-fonts/noto-sans-${region}`);
/** Of nine weights; a glyph that no other font has is looked for in all of them. */
const eastAsianWeights = ['400Regular', '700Bold'];

/**
 * Radicals of Chinese characters, of which most share their glyph with a character, ⼈ (U+2F08) with 人. Chromium's PDFs
 * name a glyph by the first of its characters, so the text of a page would come out of them in radicals. They are
 * taken out of the fonts, and stand in a file of their own.
 */
const radicals = listCharacters(0x2e80, 0x2fdf);
const otherCharacters = [
  [0x20, 0x2e7f],
  [0x2fe0, 0xd7ff],
  [0xe000, 0x3ffff],
  // By which Japanese tells the forms of a name's characters apart.
  [0xe0100, 0xe01ef],
]
  .map(([first = 0, last = 0]) => listCharacters(first, last))
  .join('');
export const radicalsFile = 'NotoSansSC_Radicals.ttf';

/** Of scripts that neither DejaVu nor Noto Sans has; they come compressed. */
const webFonts = [
  ...[
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

/** Raised when other files are made of the same packages, so that older ones are not taken for them. */
const madeVersion = 1;

/**
 * Gathers the fonts of the npm packages in `<dataFolder>/fonts-<version>` (49 MB, a second, once per version): of
 * those of East Asia the weights that are used, the web fonts unpacked, since Chromium takes no compressed font from
 * the system.
 * @returns that folder.
 */
export async function unpackFonts(dataFolder: string): Promise<string> {
  const folders = [...eastAsianFonts, ...webFonts].map(findFontPackage);
  const folder = resolve(dataFolder, `fonts-${madeVersion}-${await hashVersions(folders)}`);
  await fillOnce(folder, (unfinished) => unpackApart('fonts', unfinished));
  return folder;
}

/** The work of it: everything into `folder`. */
export async function fillFonts(folder: string): Promise<void> {
  const { default: subset } = await import('subset-font');
  for (const weight of eastAsianWeights) {
    for (const file of await listFonts(eastAsianFonts, weight, (name) => name.endsWith('.ttf'))) {
      await writeFile(join(folder, basename(file)), await subset(await readFile(file), otherCharacters));
    }
  }
  const [chinese] = await listFonts(eastAsianFonts, '400Regular', (name) => name.endsWith('.ttf'));
  if (chinese === undefined) throw new Error('The Chinese font has no file of regular weight');
  await writeFile(join(folder, radicalsFile), await subset(await readFile(chinese), radicals));
  const { default: decompress } = await import('woff2-encoder/decompress');
  const isWanted = (name: string) => webFont.test(name) && !commonParts.test(name);
  for (const file of await listFonts(webFonts, 'files', isWanted)) {
    const name = `${basename(file, '.woff2')}.ttf`;
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

function listCharacters(first: number, last: number): string {
  return Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i)).join('');
}

async function listFonts(
  packages: readonly string[],
  subfolder: string,
  isWanted: (name: string) => boolean,
): Promise<string[]> {
  const files: string[] = [];
  for (const folder of packages.map((name) => join(findFontPackage(name), subfolder))) {
    files.push(...(await readdir(folder)).filter(isWanted).map((name) => join(folder, name)));
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
