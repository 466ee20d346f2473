import type { Element } from 'domhandler';
import { readIsoDate } from './iso-date.ts';
import { ownText } from './page-facts.ts';

/** What a page is called; the state of an application holds other pages too. */
interface Named {
  title: string | null;
  heading: string | undefined;
  url: string;
}

const dateKey =
  '(?:date_?published|(?:first_?)?published_?(?:at|on|date|time)|publish_?date|publication_?date)';
const nameKey = '(?:title|headline|name|slug|url|uri|path|pathname|link|href|permalink|canonical_?url)';
const stated = new RegExp(String.raw`\\?"${dateKey}\\?"\s*:\s*\\?"\d{4}-`, 'i');
const parts = new RegExp(
  // A brace in a text is none of an object's.
  String.raw`\{(?=\s*(?:\}|\\?"[^"\\]{0,100}\\?"\s*:))|\}(?=\s*(?:[,\]};)]|\\?"|$))|` +
    String.raw`\\?"(?:(${dateKey})|${nameKey})\\?"\s*:\s*\\?"((?:[^"\\]|\\{1,2}(?:u[\da-f]{4}|/)){1,300})`,
  'gi',
);

const unescape = (text: string): string =>
  text
    .replace(/\\{1,2}u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\{1,2}\//g, '/');

/** The last part of an address, without the ending of a file. */
function lastPart(address: string): string {
  const path = address.replace(/[?#].*$/s, '').replace(/(?:\/index\.\w+|\.\w{2,5}|\/)$/, '');
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase();
}

function createNameCheck({ title, heading, url }: Named): (text: string) => boolean {
  const last = lastPart(URL.parse(url)?.pathname ?? '');
  return (text) => {
    const name = text.trim();
    if (name === heading?.trim() || (/[a-z]/.test(last) && lastPart(name) === last)) return true;
    // Behind its name stands that of the site.
    return (
      name !== '' && title?.startsWith(name) === true && /^\s*(?:$|[|–—·•-])/.test(title.slice(name.length))
    );
  };
}

/**
 * The day of publication that the state of an application names in its scripts: in an object that also names the page,
 * by its title or the last part of its address, and where all such name the same.
 */
export function scriptDate(scripts: readonly Element[], named: Named): string | null {
  const isPage = createNameCheck(named);
  const found = new Map<string, string>();
  for (const script of scripts) {
    const text = ownText(script);
    if (!stated.test(text)) continue;
    const open: { date: string | null; isPage: boolean }[] = [];
    for (const [part, key, value = ''] of text.matchAll(parts)) {
      const object = open.at(-1);
      if (part === '{') open.push({ date: null, isPage: false });
      else if (part === '}') open.pop();
      else if (object !== undefined && key === undefined) object.isPage ||= isPage(unescape(value));
      else if (object !== undefined) object.date ??= readIsoDate(value) ?? null;
      const date = object?.isPage === true ? object.date : null;
      if (date !== null && !found.has(date.slice(0, 10))) found.set(date.slice(0, 10), date);
    }
  }
  const [only = null] = found.size === 1 ? found.values() : [];
  return only;
}
