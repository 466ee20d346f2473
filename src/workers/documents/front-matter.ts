import { readIsoDate } from '../extract/iso-date.ts';
import { toLanguageTag } from '../extract/language-tag.ts';
import type { DocumentContent } from './document-content.ts';

const block = /^---[^\S\n]*\n([\s\S]{0,20000}?)\n---[^\S\n]*(?:\n|$)/;
/** Of YAML, as site generators write it: an entry, what is indented, an item, the end of a list, a comment or nothing. */
const yamlLine = /^(?:[A-Za-z_][\w.-]*[^\S\n]*:(?:\s|$)|\s|-(?:\s|$)|[\]}]|#|$)/;
/** Names of which site generators know one at least. */
const knownName =
  /^(?:title|authors?|date|published|pubdate|publishdate|updated|modified|lastmod|last_modified_at|lang|language|layout|tags|categories|description|slug|draft|permalink|id|sidebar_\w+)[^\S\n]*:/im;
const entry = /^([A-Za-z_][\w-]*)[^\S\n]*:(.*)$/;

/** A scalar without its quotes or the comment behind it. */
function scalar(text: string): string {
  const [, quote, quoted] = /^(["'])(.*)\1\s*(?:#.*)?$/.exec(text) ?? [];
  if (quoted === undefined) return text.replace(/(?:^|\s)#.*$/, '').trim();
  return quote === '"' ? quoted.replace(/\\(["\\])/g, '$1') : quoted.replaceAll("''", "'");
}

/** Text of more lines, which begins below its entry. */
const blockScalar = /^[>|][-+\d]*\s*(?:#.*)?$/;
/** What is no plain text: nothing, maps, templates, marks of YAML. */
const noText = /^(?:[>|&{*!@%`]|(?:~|null)\s*(?:#.*)?$)/i;

/** Values of an entry: of a list each, of people their names. */
function valuesOf(lines: readonly string[]): string[] {
  const [own = '', ...below] = lines.map((line) => line.trim());
  if (blockScalar.test(own)) return [below.filter((line) => line !== '').join(' ')];
  const list = /^\[(.*)\]$/.exec(own)?.[1]?.split(',') ?? (own === '' ? below : [own]);
  return list
    .map((one) =>
      one
        .replace(/^\s*-\s+/, '')
        .replace(/^name\s*:/, '')
        .trim(),
    )
    .map((one) => (noText.test(one) ? '' : scalar(one)))
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
  const [between = '', inner = ''] = block.exec(text) ?? [];
  const isYaml = knownName.test(inner) && inner.split('\n').every((line) => yamlLine.test(line));
  const [whole, yaml] = isYaml ? [between, inner] : ['', ''];
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
