import { scanHtml } from './scan-html.ts';
import { endOfRaw, nameAt, skipTag } from './scan-tags.ts';
import { readVisibleText } from './visible-text.ts';

/** Characters of text; what asks for JavaScript, or for a picture that counts, says less. */
const leastText = 200;
const markup = /<(?:!--|[a-z])/gi;
/** They hold no markup: up to its end, a `noscript` is no more than its characters. */
const rawNames = /^(?:noscript|script|style|title|textarea|iframe|xmp|noembed|noframes)$/;
const commentEnd = /--!?>/g;
const pictureTags = new Set(['picture', 'source', 'img']);

/**
 * A page as who runs no scripts sees it, where that is the page: what stands in `noscript` says more than all the rest.
 * @param hasRunScripts then nothing else is seen, either: its scripts have failed.
 * @returns `html` itself for all other pages.
 */
export function showNoscript(html: string, hasRunScripts = false): string {
  const parts = splitAtNoscript(html);
  const hidden = parts.filter((_, index) => index % 2 === 1).join(' ');
  if (hidden.length < leastText) return html;
  const hiddenText = readVisibleText(hidden).length;
  if (hiddenText < leastText) return html;
  const shownText = readVisibleText(html).trim().length;
  return hiddenText > shownText && (shownText === 0 || !hasRunScripts) ? parts.join(' ') : html;
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

/** What stands outside, within, outside and so on. Tags are read whole: in the value of an attribute nothing begins. */
function splitAtNoscript(html: string): string[] {
  if (!/<noscript/i.test(html)) return [html];
  const parts: string[] = [];
  const endless = new Set<string>();
  let from = 0;
  let at = 0;
  for (;;) {
    markup.lastIndex = at;
    const start = markup.exec(html)?.index;
    if (start === undefined) return [...parts, html.slice(from)];
    if (html.startsWith('<!--', start)) {
      // The dashes of an empty comment are those of its end, too.
      commentEnd.lastIndex = start + 2;
      if (commentEnd.exec(html) === null) return [...parts, html.slice(from)];
      at = commentEnd.lastIndex;
      continue;
    }
    const name = nameAt(html, start + 1);
    at = skipTag(html, start + 1 + name.length);
    // In a drawing `<title/>` is whole; what nothing ends there is no text either.
    if (!rawNames.test(name) || html.startsWith('/>', at - 2) || endless.has(name)) continue;
    const end = endOfRaw(html, at, name);
    const isEnded = html.indexOf('>', end) !== -1;
    if (!isEnded && name === 'noscript') return [...parts, html.slice(from)];
    if (!isEnded) {
      endless.add(name);
      continue;
    }
    if (name === 'noscript') parts.push(html.slice(from, start), html.slice(at, end));
    at = skipTag(html, end + 2 + name.length);
    if (name === 'noscript') from = at;
  }
}
