import { readIsoDate } from '../extract/iso-date.ts';
import { toLanguageTag } from '../extract/language-tag.ts';
import type { DocumentContent } from './document-content.ts';

/** YAML between rules at the head of a file, as site generators read it; another line than `name:` begins none. */
const block =
  /^---[^\S\n]*\n((?:[^\S\n]*(?:#.*)?\n){0,50}[A-Za-z_][\w-]*[^\S\n]*:[\s\S]{0,20000}?)\n---[^\S\n]*(?:\n|$)/;
const entry = /^([A-Za-z_][\w-]*)[^\S\n]*:(.*)$/;

/** A scalar without its quotes or the comment behind it. */
function scalar(text: string): string {
  const [, quote, quoted] = /^(["'])(.*)\1\s*(?:#.*)?$/.exec(text) ?? [];
  if (quoted === undefined) return text.replace(/(?:^|\s)#.*$/, '').trim();
  return quote === '"' ? quoted.replace(/\\(["\\])/g, '$1') : quoted.replaceAll("''", "'");
}

/** Values of an entry: of a list each, of people their names. */
function valuesOf(lines: readonly string[]): string[] {
  const [own = '', ...below] = lines.map((line) => line.trim());
  const list = /^\[(.*)\]$/.exec(own)?.[1]?.split(',') ?? (own === '' ? below : [own]);
  return list
    .map((one) =>
      scalar(
        one
          .replace(/^\s*-\s+/, '')
          .replace(/^name\s*:/, '')
          .trim(),
      ),
    )
    .filter((one) => one !== '');
}

/**
 * What a text states of itself in front matter.
 * @returns that, and how many characters of the text say it; 0 without front matter.
 */
export function readFrontMatter(text: string): {
  facts: Omit<DocumentContent, 'html' | 'warnings'>;
  length: number;
} {
  const [whole = '', yaml = ''] = block.exec(text) ?? [];
  const entries = new Map<string, string[]>();
  let open: string[] = [];
  for (const line of yaml.split('\n')) {
    const [, name, value = ''] = entry.exec(line) ?? [];
    if (name === undefined) open.push(line);
    else entries.set(name.toLowerCase(), (open = [value]));
  }
  const first = (...names: string[]): string[] => {
    const found = names.map((name) => valuesOf(entries.get(name) ?? [])).find((values) => values.length > 0);
    return found ?? [];
  };
  const one = (...names: string[]): string => first(...names)[0] ?? '';
  const authors = first('author', 'authors').filter((name) => !/^[\w-]+\s*:/.test(name));
  return {
    facts: {
      title: one('title') || null,
      author: authors.join(', ') || null,
      publishedAt: readIsoDate(one('date', 'published', 'pubdate', 'publishdate')) ?? null,
      modifiedAt: readIsoDate(one('updated', 'modified', 'lastmod', 'last_modified_at')) ?? null,
      language: toLanguageTag(one('lang', 'language')),
    },
    length: whole.length,
  };
}
