import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../shared/config.ts';
import { makeOpenFolder } from '../processes/open-folder.ts';

/** Makes the folder in which Chromium is unpacked and its fonts are made ready. */
export async function openBrowserFolder(
  config: Pick<Config, 'BROWSER_FOLDER' | 'QUARRY_HOME'>,
): Promise<string> {
  const folder = config.BROWSER_FOLDER ?? join(config.QUARRY_HOME ?? join(homedir(), '.quarry'), 'chromium');
  makeOpenFolder(folder);
  return folder;
}
