export interface ContentType {
  /** Without parameters, lower case; null where there is none. */
  type: string | null;
  /** As it is written; null where none is. */
  charset: string | null;
}

/** Commas part values, but not within quotes. */
const values = /(?:"(?:[^"\\]|\\[^])*"?|[^",])+/g;
const mediaType = /^\s*([^\s;/*]+\/[^\s;(*]+)/;
const parameter = /;\s*([^;=\s]+)\s*=\s*("(?:[^"\\]|\\[^])*"?|[^;]*)/g;

/**
 * What a Content-Type header says, several of one answer joined by commas: the last one counts, and has the charset of
 * those before it where that names none for the same type (Fetch standard, "extract a MIME type"). As in Chromium, a bracket
 * ends a type, and a charset without a value is none.
 */
export function readContentType(header: string): ContentType {
  let type: string | null = null;
  let charset: string | null = null;
  for (const [value] of header.matchAll(values)) {
    const own = mediaType.exec(value)?.[1]?.toLowerCase() ?? null;
    if (own === null) continue;
    charset = charsetIn(value) ?? (own === type ? charset : null);
    type = own;
  }
  if (type !== null) return { type, charset };
  // What names no type may be told all the same.
  return { type: header.split(/[;,]/, 1)[0]?.trim().toLowerCase() || null, charset: charsetIn(header) };
}

function charsetIn(value: string): string | null {
  for (const [, name = '', text = ''] of value.matchAll(parameter))
    if (name.toLowerCase() === 'charset' && text.trim() !== '') return unquoted(text).trim();
  return null;
}

/** Some servers write single quotes, which browsers see through; a word is the name of an encoding. */
function unquoted(text: string): string {
  const inner = text.startsWith('"')
    ? text
        .slice(1)
        .replace(/"$/, '')
        .replace(/\\([^])/g, '$1')
    : text;
  return (
    inner
      .trim()
      .replace(/^'(.*)'$/, '$1')
      .split(/[\s,]/, 1)[0] ?? ''
  );
}
