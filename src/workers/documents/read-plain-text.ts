import { escapeText } from '../extract/content-html.ts';
import { bareContent, type DocumentContent } from './document-content.ts';
import { joinsBare } from './pdf-text.ts';
import { code } from './read-text.ts';

/** Characters of a line that may have been broken at a margin. */
const fullLine = 60;
const record = /^(?:[[{]|\d{4}-\d\d|\d\d?:\d\d|\d{10}|[A-Z][a-z]{2} +\d{1,2} \d\d:)/;

/** What lines of code are called in media types, and by the ends of file names. */
const languages = new Set(
  'c cpp css diff go graphql java javascript json php python sh sql toml yaml'.split(' '),
);
/** What else they are called there. */
const otherNames = new Map(
  Object.entries({
    cs: 'csharp',
    ecmascript: 'javascript',
    h: 'c',
    js: 'javascript',
    'json-seq': 'json',
    jsonl: 'json',
    mjs: 'javascript',
    ndjson: 'json',
    patch: 'diff',
    py: 'python',
    rb: 'ruby',
    rs: 'rust',
    ts: 'typescript',
    yml: 'yaml',
  }),
);

const languageNamed = (name = ''): string | null =>
  languages.has(name) ? name : (otherNames.get(name) ?? null);

/** The language of what is code and no prose, by its media type, then by its file's name; null for all else. */
export function codeLanguageOf(contentType: string | null, url: string): string | null {
  const type = contentType?.toLowerCase().split('/')[1]?.replace(/^x-/, '');
  const extension = /\.(\w{1,10})$/.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase();
  return languageNamed(type) ?? languageNamed(extension);
}

/**
 * Plain text: paragraphs where empty lines stand; lines that are broken at a margin are one. What is indented
 * keeps its lines and spaces, and so does code.
 * @param language of code; null for prose.
 */
export function readPlainText(text: string, language: string | null): DocumentContent {
  const unified = text.replace(/\r\n?/g, '\n').replace(/^\ufeff/, '');
  if (language !== null) {
    const kept = unified.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
    return bareContent(kept === '' ? '' : code(kept, language));
  }
  const out: string[] = [];
  let indented: string[] = [];
  const closeIndented = (): void => {
    if (indented.length > 0) out.push(`<pre><code>${escapeText(indented.join('\n\n'))}\n</code></pre>`);
    indented = [];
  };
  for (const part of unified.split(/\n(?:[^\S\n]*\n)+/)) {
    const paragraph = part.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
    if (paragraph === '') continue;
    const lines = paragraph.split('\n');
    // A first line alone that is indented begins a paragraph of prose, unless it goes on with what was.
    const isIndented =
      isInColumns(lines) || lines.some((line, at) => (at > 0 || indented.length > 0) && /^[ \t]/.test(line));
    if (isIndented) indented.push(paragraph);
    else {
      closeIndented();
      const texts = lines.map((line) => line.trim());
      const html = isBrokenAtMargin(lines) ? escapeText(asOne(texts)) : texts.map(escapeText).join('<br>');
      out.push(`<p>${html}</p>`);
    }
  }
  closeIndented();
  return bareContent(out.join('\n'));
}

/** Whether gaps of spaces or tabs within most lines set columns apart. */
const isInColumns = (lines: readonly string[]): boolean =>
  lines.length > 1 && lines.filter((line) => /[^\s.!?](?: {3,}|\t+)\S/.test(line)).length * 2 > lines.length;

const asOne = (lines: readonly string[]): string =>
  lines.map((line, at) => (at === 0 || joinsBare(lines[at - 1] ?? '', line) ? line : ` ${line}`)).join('');

/** Letters that take the room of two, of scripts whose lines end anywhere. */
const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/gu;
const widthOf = (line: string): number => line.length + (line.match(wide)?.length ?? 0);
/** Room that is left where a mark may not begin the next line. */
const wideRoom = 4;

/** Whether no line but the last has room for the word that begins the next; one long word may pass the margin. */
function isBrokenAtMargin(lines: readonly string[]): boolean {
  const widths = lines.map(widthOf);
  const longest = lines.reduce(
    (most, line, at) =>
      /\S\s+\S/.test(line) || widths[at] !== line.length ? Math.max(most, widths[at] ?? 0) : most,
    0,
  );
  return lines.every((line, at) => {
    const next = lines[at + 1];
    if (at > 0 && record.test(line)) return false;
    if (next === undefined) return true;
    const word = joinsBare(line, next) ? wideRoom : next.search(/\s|$/);
    const width = widths[at] ?? 0;
    return width >= fullLine && width + 1 + word >= longest;
  });
}
