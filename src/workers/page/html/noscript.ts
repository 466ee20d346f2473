import { scanHtml } from './scan-html.ts';
import { readVisibleText } from './visible-text.ts';

/** Characters of text; what asks for JavaScript, or for a picture that counts, says less. */
const leastText = 200;
/** Of what holds no markup: up to its end, a `noscript` is no more than its characters. */
const rawStart =
  /<!--|<(noscript|script|style|title|textarea|iframe|xmp|noembed|noframes)(?:[\s/][^>]{0,1000})?>/gi;
const commentEnd = /--!?>/g;
const pictureTags = new Set(['picture', 'source', 'img']);

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

/**
 * A page without what is told to who runs no scripts: of a `noscript`, pictures stay where it holds no text, since they
 * may be those that a script loads. Each ends where browsers end it, whatever is open in it.
 */
export function dropNoscript(html: string): string {
  return splitAtNoscript(html)
    .map((part, index) => (index % 2 === 0 ? part : `<noscript>${picturesOf(part)}</noscript>`))
    .join('');
}

/** The tags of its pictures; empty where there is text. */
function picturesOf(html: string): string {
  if (!/<img/i.test(html) || readVisibleText(html).trim() !== '') return '';
  const tags: string[] = [];
  scanHtml(html, {
    onStartTag(name, attributes) {
      if (pictureTags.has(name)) tags.push(`<${name}${[...attributes].map(writeAttribute).join('')}>`);
    },
    onText: () => undefined,
    onEndTag(name) {
      if (name === 'picture') tags.push('</picture>');
    },
  });
  return tags.join('');
}

const writeAttribute = ([name, value]: [string, string]): string =>
  ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;

/** What stands outside, within, outside and so on. */
function splitAtNoscript(html: string): string[] {
  const parts: string[] = [];
  const endless = new Set<string>();
  let from = 0;
  let at = 0;
  for (;;) {
    rawStart.lastIndex = at;
    const start = rawStart.exec(html);
    if (start === null) return [...parts, html.slice(from)];
    const name = start[1]?.toLowerCase();
    at = rawStart.lastIndex;
    // In a drawing `<title/>` is whole; what nothing ends there is no text either.
    if (name !== undefined && (start[0].endsWith('/>') || endless.has(name))) continue;
    const endTag = name === undefined ? commentEnd : new RegExp(`</${name}(?:[\\s/][^>]{0,1000})?>`, 'gi');
    // The dashes of an empty comment are those of its end, too.
    endTag.lastIndex = name === undefined ? start.index + 2 : rawStart.lastIndex;
    const end = endTag.exec(html);
    if (end === null && (name === undefined || name === 'noscript')) return [...parts, html.slice(from)];
    if (end === null) {
      endless.add(name ?? '');
      continue;
    }
    at = endTag.lastIndex;
    if (name !== 'noscript') continue;
    parts.push(html.slice(from, start.index), html.slice(start.index + start[0].length, end.index));
    from = at;
  }
}
