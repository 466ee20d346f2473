/** What is passed over as a whole: it has no text that counts, or only text. */
const opener = /<(?:!--(?!-?>)|(script|style|svg|textarea|title)(?=[\s/>])([^<>]{0,2000})>)/gi;
/** Characters; a longer drawing is looked at as it is. */
const longestDrawing = 200_000;
const noDrawing = /<(?:svg|foreignobject|div|p|a|h[1-6]|table|li|img|section|article|span)[\s>]/gi;

const ends: Readonly<Record<string, RegExp>> = {
  comment: /--!?>/g,
  script: /<\/script(?=[\s/>])[^>]{0,100}>/gi,
  style: /<\/style(?=[\s/>])[^>]{0,100}>/gi,
  svg: /<\/svg(?=[\s/>])[^>]{0,100}>/gi,
  textarea: /<\/textarea(?=[\s/>])/gi,
  title: /<\/title(?=[\s/>])/gi,
};

/**
 * A page without scripts, styles, drawings and comments, of which no reader takes any text, so that it is parsed in less
 * time; structured data stays. What has no end stays too.
 */
export function leanMarkup(html: string): string {
  const parts: string[] = [];
  /** Of each tag, where the next end of one stands. */
  const next = new Map<string, { at: number; behind: number }>();
  const endOf = (name: string, start: number): number | null => {
    let end = next.get(name);
    if (end === undefined || end.at < start) {
      const pattern = ends[name] as RegExp;
      pattern.lastIndex = start;
      const at = pattern.exec(html)?.index ?? Infinity;
      next.set(name, (end = { at, behind: pattern.lastIndex }));
    }
    return end.at === Infinity ? null : end.behind;
  };
  let textAt = -1;
  /** Whether nothing stands in it that a page may show, as it does where its end is that of another. */
  const isDrawing = (start: number, end: number): boolean => {
    if (textAt < start) {
      noDrawing.lastIndex = start;
      textAt = noDrawing.exec(html)?.index ?? Infinity;
    }
    return end - start <= longestDrawing && textAt >= end;
  };
  let from = 0;
  opener.lastIndex = 0;
  for (let match = opener.exec(html); match !== null; match = opener.exec(html)) {
    const [whole, tag = 'comment', attributes = ''] = match;
    const name = tag.toLowerCase();
    const start = match.index + whole.length;
    if (name === 'svg' && attributes.endsWith('/')) continue;
    const behind = endOf(name, start);
    if (behind === null) continue;
    if (name === 'svg' && !isDrawing(start, behind)) continue;
    opener.lastIndex = behind;
    if (name === 'title' || name === 'textarea' || (name === 'script' && /ld\+json/i.test(attributes)))
      continue;
    parts.push(html.slice(from, match.index));
    from = behind;
  }
  parts.push(html.slice(from));
  return parts.join('');
}
