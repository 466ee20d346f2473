import { readVisibleText } from './visible-text.ts';

/** Characters of text; what asks for JavaScript, or for a picture that counts, says less. */
const leastText = 200;
const startTag = /<noscript(?:[\s/][^>]{0,1000})?>/gi;
const endTag = /<\/noscript\s*>/gi;

/**
 * A page as who runs no scripts sees it, where that is the page: what stands in `noscript` says more than all the rest.
 * @returns `html` itself for all other pages.
 */
export function showNoscript(html: string): string {
  const parts = splitAtNoscript(html);
  const hidden = parts.filter((_, index) => index % 2 === 1).join(' ');
  if (hidden.length < leastText) return html;
  const hiddenText = readVisibleText(hidden).length;
  return hiddenText >= leastText && hiddenText > readVisibleText(html).length ? parts.join(' ') : html;
}

/** What stands outside, within, outside and so on. */
function splitAtNoscript(html: string): string[] {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    startTag.lastIndex = at;
    const start = startTag.exec(html);
    endTag.lastIndex = start === null ? html.length : startTag.lastIndex;
    const end = endTag.exec(html);
    if (start === null || end === null) return [...parts, html.slice(at)];
    parts.push(html.slice(at, start.index), html.slice(start.index + start[0].length, end.index));
    at = endTag.lastIndex;
  }
}
