import { createHash, randomUUID } from 'node:crypto';
import { access, chmod, chown, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { Account } from '../processes/account.ts';
import { findReachableFonts, radicalsFile, unpackFonts } from './font-files.ts';
import { makeOpenFolder } from '../processes/open-folder.ts';

// Without any font Chromium draws blank text and reports no error, so these always stand behind the system's.
const fontPackages = [
  'dejavu-fonts-ttf',
  '@expo-google-fonts/noto-sans',
  '@expo-google-fonts/noto-color-emoji',
];

const systemRules = '/etc/fonts/fonts.conf';

/**
 * Writes a fontconfig file that offers the system's fonts and the npm font packages, with its cache in
 * `dataFolder`.
 * @param account whom Chromium runs as, where that is not us.
 * @returns the variables that make Chromium use it.
 * @throws Error when a font package is not installed.
 */
export async function prepareFonts(dataFolder: string, account?: Account): Promise<Record<string, string>> {
  const folder = resolve(dataFolder, 'fonts');
  const cache = join(folder, account === undefined ? 'cache' : `cache-${account.uid}`);
  for (const path of [folder, cache]) makeOpenFolder(path);
  if (account) await chown(cache, account.uid, account.gid);
  const hasSystemRules = await access(systemRules).then(
    () => true,
    () => false,
  );
  const unpacked = await unpackFonts(dataFolder);
  const folders = [...(await findReachableFonts(fontPackages, dataFolder, account)), unpacked];
  const text = fontsConf(folders, join(unpacked, radicalsFile), cache, hasSystemRules);
  const file = join(folder, `fonts-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.conf`);
  // Pages and reviews prepare side by side, in one process too.
  const unfinished = `${file}.${randomUUID()}`;
  await writeFile(unfinished, text);
  await chmod(unfinished, 0o644);
  await rename(unfinished, file);
  return { FONTCONFIG_FILE: file };
}

/**
 * The system's own rules come first, so its choice of fonts wins where it has made one. Without them, the names
 * that pages use most are given a font of ours: Chromium's font matching takes a replacement only when it stands
 * first, so these are assigned, not appended.
 */
function fontsConf(
  fontFolders: string[],
  radicals: string,
  cacheFolder: string,
  hasSystemRules: boolean,
): string {
  const rules = hasSystemRules
    ? [`<include>${systemRules}</include>`]
    : Object.entries(replacements).flatMap(([font, families]) =>
        families.map((family) => replace(family, font)),
      );
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <cachedir>${escapeXml(cacheFolder)}</cachedir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
${fontFolders.map((folder) => `  <dir>${escapeXml(folder)}</dir>`).join('\n')}
  ${rules.join('\n  ')}
  ${eastAsianRules(radicals).join('\n  ')}
  <match target="pattern"><edit name="family" mode="append_last"><string>Noto Sans</string></edit></match>
</fontconfig>
`;
}

/**
 * The Chinese, Japanese and Korean fonts have the letters of other languages, too; each is taken for its own. The
 * radicals are no font for who names theirs.
 */
function eastAsianRules(radicals: string): string[] {
  const languages = { SC: 'zh-cn', JP: 'ja', KR: 'ko' };
  return [
    ...['family', 'fullname', 'postscriptname'].map((name) =>
      scanRule(name, 'Noto Sans SC Radicals', 'file', radicals),
    ),
    ...Object.entries(languages).map(([region, language]) =>
      scanRule('lang', language, 'family', `Noto Sans ${region}`),
    ),
  ];
}

/** Tells fontconfig what a font file is. */
function scanRule(property: string, value: string, where: string, is: string): string {
  return (
    `<match target="scan"><test name="${where}"><string>${escapeXml(is)}</string></test>` +
    `<edit name="${property}" mode="assign"><string>${value}</string></edit></match>`
  );
}

const replacements: Record<string, string[]> = {
  'Noto Sans': ['sans-serif', 'sans', 'system-ui', 'Arial', 'Helvetica', 'Verdana', 'Segoe UI', 'Roboto'],
  'DejaVu Serif': ['serif', 'Times New Roman', 'Times', 'Georgia'],
  'DejaVu Sans Mono': ['monospace', 'mono', 'Courier New', 'Courier', 'Menlo', 'Consolas'],
};

function replace(family: string, font: string): string {
  return (
    `<match target="pattern"><test name="family"><string>${family}</string></test>` +
    `<edit name="family" mode="assign" binding="strong"><string>${font}</string></edit></match>`
  );
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
