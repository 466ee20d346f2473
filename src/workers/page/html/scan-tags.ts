import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { ForeignContent } from './foreign-content.ts';
import type { HtmlHandlers } from './scan-html.ts';

/** Attributes by which an element within SVG or MathML is one of HTML. */
const ofHtml: Record<string, RegExp> = {
  font: /\s(color|face|size)\b/i,
  'annotation-xml': /\sencoding\s*=\s*["']?(text\/html|application\/xhtml\+xml)["'\s/>]/i,
};

/** Elements whose content is no markup (HTML standard, 13.2.5; scripting on). */
const rawElements = /^(script|style|textarea|title|noscript|iframe|xmp|noembed|noframes)$/;
const commentEnd = /--!?>/g;
const scriptPart = /<!--|-->|<(\/?)script(?=[\s/>])/gi;
const attribute = /[\s/]*([^\s"'>/=][^\s>/=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/y;

export interface TagScan extends HtmlHandlers {
  /** Tags that are told; all others are skipped unread. */
  tags: ReadonlySet<string>;
  /** Elements whose text is told. */
  textIn: ReadonlySet<string>;
}

const quote = 34;
const slash = 47;
const equals = 61;
const greaterThan = 62;
const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13);
const isLower = (code: number) => (code >= 97 && code <= 122) || code === 45;
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

function decodeText(text: string): string {
  return text.includes('&') ? decodeHTML(text) : text;
}

/** The end of ` name="` at `from`, as most attributes are written; -1 where one is written otherwise. */
function plainAttributeStart(html: string, from: number): number {
  if (!isSpace(html.charCodeAt(from))) return -1;
  let at = from + 1;
  while (isLower(html.charCodeAt(at))) at++;
  const isPlain = at > from + 1 && html.charCodeAt(at) === equals && html.charCodeAt(at + 1) === quote;
  return isPlain ? at + 2 : -1;
}

/** @returns where the tag ends: behind its `>`, or the document's end. */
function readAttributes(html: string, from: number, found: Map<string, string>): number {
  let at = from;
  for (;;) {
    // Most tags need no regular expression, which would take most of the time.
    if (html.charCodeAt(at) === greaterThan) return at + 1;
    const plain = plainAttributeStart(html, at);
    const close = plain === -1 ? -1 : html.indexOf('"', plain);
    if (close !== -1) {
      keepAttribute(found, html.slice(at + 1, plain - 2), html.slice(plain, close));
      at = close + 1;
      continue;
    }
    attribute.lastIndex = at;
    const match = attribute.exec(html);
    if (match === null) {
      const end = html.indexOf('>', at);
      return end === -1 ? html.length : end + 1;
    }
    at = attribute.lastIndex;
    keepAttribute(found, (match[1] ?? '').toLowerCase(), match[2] ?? match[3] ?? match[4] ?? '');
  }
}

function keepAttribute(found: Map<string, string>, name: string, value: string): void {
  if (!found.has(name)) found.set(name, value.includes('&') ? decodeHTMLAttribute(value) : value);
}

/** The end of a tag that is not read, from behind its name: a `>` within quotes is none. */
export function skipTag(html: string, from: number): number {
  let [at, end] = [from, -1];
  for (;;) {
    // Once for all values before it.
    if (end < at) end = html.indexOf('>', at);
    if (end === -1) return html.length;
    const open = firstQuote(html, at, end);
    if (open === -1) return end + 1;
    const close = html.indexOf(html.charAt(open), open + 1);
    if (close === -1) return end + 1;
    at = close + 1;
  }
}

/** A quote that opens an attribute's value; others mean nothing. */
function firstQuote(html: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = html.charCodeAt(at);
    if ((code === quote || code === 39) && html.charCodeAt(at - 1) === equals) return at;
  }
  return -1;
}

function endOfComment(html: string, from: number): number {
  if (html.startsWith('>', from)) return from + 1;
  if (html.startsWith('->', from)) return from + 2;
  commentEnd.lastIndex = from;
  return commentEnd.test(html) ? commentEnd.lastIndex : html.length;
}

/**
 * As `scanHtml`, but tells only chosen tags and the text in chosen elements, and so takes a tenth of its time:
 * for crawls, which read the links of thousands of pages. Linear in the document, whatever it holds.
 */
export function scanTags(html: string, scan: TagScan): void {
  const { tags, textIn } = scan;
  const foreign = new ForeignContent();
  let listening = 0;
  let at = 0;
  while (at < html.length) {
    const lt = html.indexOf('<', at);
    const textEnd = lt === -1 ? html.length : lt;
    if (listening > 0 && textEnd > at) scan.onText(decodeText(html.slice(at, textEnd)));
    if (lt === -1) return;
    const next = html.charCodeAt(lt + 1);
    if (next === 33) {
      at = html.startsWith('--', lt + 2) ? endOfComment(html, lt + 4) : skipTo(html, lt + 2);
    } else if (next === 63) {
      at = skipTo(html, lt + 2);
    } else if (next === slash) {
      const name = nameAt(html, lt + 2);
      at = skipTo(html, lt + 2 + name.length);
      if (textIn.has(name)) listening = Math.max(0, listening - 1);
      for (const one of foreign.end(name)) if (tags.has(one)) scan.onEndTag(one);
      if (tags.has(name)) scan.onEndTag(name);
    } else if (isLetter(next)) {
      const name = nameAt(html, lt + 1);
      at = lt + 1 + name.length;
      const attributes = tags.has(name) ? new Map<string, string>() : null;
      at = attributes === null ? skipTag(html, at) : readAttributes(html, at, attributes);
      // A tag that the document's end cuts off is none.
      if (attributes !== null && html.charCodeAt(at - 1) !== greaterThan) return;
      const isSelfClosing = html.charCodeAt(at - 2) === slash;
      const isOfHtml = ofHtml[name]?.test(html.slice(lt, at)) === true;
      const { ended, isForeign } = foreign.start(name, isSelfClosing, isOfHtml);
      for (const one of ended) if (tags.has(one)) scan.onEndTag(one);
      if (attributes !== null) scan.onStartTag(name, attributes);
      if (isForeign && isSelfClosing) {
        if (tags.has(name)) scan.onEndTag(name);
        continue;
      }
      if (textIn.has(name)) listening++;
      // Nothing ends it.
      if (!isForeign && name === 'plaintext') {
        if (listening > 0) scan.onText(html.slice(at));
        return;
      }
      if (!isForeign && rawElements.test(name)) at = readRaw(html, at, name, textIn.has(name) ? scan : null);
    } else {
      if (listening > 0) scan.onText('<');
      at = lt + 1;
    }
  }
}

function skipTo(html: string, from: number): number {
  const end = html.indexOf('>', from);
  return end === -1 ? html.length : end + 1;
}

/** Of the tag whose name begins at `from`; in small letters. */
export function nameAt(html: string, from: number): string {
  let at = from;
  let isPlain = true;
  for (; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === greaterThan || code === slash || isSpace(code)) break;
    if (!isLower(code)) isPlain = false;
  }
  const name = html.slice(from, at);
  return isPlain ? name : name.toLowerCase();
}

/** @returns where the element's end tag begins. */
function readRaw(html: string, from: number, name: string, scan: TagScan | null): number {
  const end = endOfRaw(html, from, name);
  if (scan !== null && end > from) scan.onText(decodeText(html.slice(from, end)));
  return end;
}

/** Where the end tag of an element begins whose content, from `from`, is no markup; the document's end where it has none. */
export function endOfRaw(html: string, from: number, name: string): number {
  if (name === 'script') return endOfScript(html, from);
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}

/** Behind `<!--` a script may hold another with its end tag (HTML standard, 13.2.5.20 to 31). */
function endOfScript(html: string, from: number): number {
  let [isEscaped, isWithin] = [false, false];
  scriptPart.lastIndex = from;
  for (let part = scriptPart.exec(html); part !== null; part = scriptPart.exec(html)) {
    const [text, end] = part;
    if (text === '<!--') {
      isEscaped = true;
      // Its dashes may be those of `-->`.
      scriptPart.lastIndex -= 2;
    } else if (text === '-->') isEscaped = isWithin = false;
    else if (end === '') isWithin = isEscaped;
    else if (isWithin) isWithin = false;
    else return part.index;
  }
  return html.length;
}
