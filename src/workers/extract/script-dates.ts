import type { Element } from 'domhandler';
import { readIsoDate } from './iso-date.ts';
import { ownText } from './page-facts.ts';

const stated =
  /\\?"(?:date_?published|(?:first_?)?published_?(?:at|on|date|time)|publish_?date|publication_?date)\\?"\s*:\s*\\?"(\d{4}-\d\d-\d\d[^"\\]{0,30})/gi;

/** The day of publication that the state of an application names in its scripts, where all of them name the same. */
export function scriptDate(scripts: readonly Element[]): string | null {
  let found: string | null = null;
  for (const script of scripts) {
    for (const [, text = ''] of ownText(script).matchAll(stated)) {
      const date = readIsoDate(text) ?? null;
      if (date === null) continue;
      if (found !== null && found.slice(0, 10) !== date.slice(0, 10)) return null;
      found ??= date;
    }
  }
  return found;
}
