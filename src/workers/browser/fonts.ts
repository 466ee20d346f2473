import { createHash, randomUUID } from 'node:crypto';
import { access, chmod, chown, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { Account } from '../processes/account.ts';
import { findReachableFonts, unpackFonts } from './font-files.ts';
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
  const folders = [
    ...(await findReachableFonts(fontPackages, dataFolder, account)),
    await unpackFonts(dataFolder),
  ];
  const text = fontsConf(folders, cache, hasSystemRules);
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
function fontsConf(fontFolders: string[], cacheFolder: string, hasSystemRules: boolean): string {
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
  ${asianRules().join('\n  ')}
  <match target="pattern"><edit name="family" mode="append_last"><string>Noto Sans</string></edit></match>
</fontconfig>
`;
}

/**
 * The Chinese, Japanese and Korean fonts come in a hundred parts each. No part covers a language, so each is told
 * its own; and of the nine weights that each names two are kept, regular and bold, since a glyph that no other
 * font has is looked for in all of them. (The variable font itself must stay: Chromium finds the glyph in it, then
 * draws with the named weight.)
 */
function asianRules(): string[] {
  const languages = { SC: 'zh-cn', JP: 'ja', KR: 'ko' };
  return Object.entries(languages).flatMap(([region, language]) => {
    // As the parts name themselves, by the first of their weights.
    const family = `<string>Noto Sans ${region} Thin</string>`;
    return [
      `<match target="scan"><test name="family">${family}</test>` +
        `<edit name="lang" mode="assign"><string>${language}</string></edit></match>`,
      ...otherWeights.map(
        (weight) =>
          `<selectfont><rejectfont><pattern><patelt name="family">${family}</patelt>` +
          `<patelt name="weight"><double>${weight}</double></patelt></pattern></rejectfont></selectfont>`,
      ),
    ];
  });
}

/** As fontconfig counts them: thin to light, medium, semibold and heavier. */
const otherWeights = [0, 40, 50, 100, 180, 205, 210];

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
