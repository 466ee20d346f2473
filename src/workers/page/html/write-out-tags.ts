import { nameAt, skipTag } from './scan-tags.ts';
import { isVoid } from './void-elements.ts';

/** In which `<` begins no tag, as most XHTML is written: its CDATA is behind a comment of the script. */
const ownText = new Set(['script', 'style']);
const cdataStart = '<![CDATA[';
const cdataEnd = ']]>';
const doctype = /^<!doctype/i;
const subsetEnd = /\]\s*>/g;
const xmlType = /^\s{0,9}(?:text|application)\/(?:[\w.-]{1,99}\+)?xml\b/i;

/** Whether `/>` ends an element: in a document that is HTML by its type it means nothing. */
export const isXmlType = (contentType: string): boolean => xmlType.test(contentType);

/**
 * XHTML as browsers write it out, `<div/>` as `<div></div>`: to a parser of HTML what begins with `<div/>` goes on, and
 * behind `<script/>` all is script. What stands in CDATA is text; there it is a comment. Linear, whatever the document
 * holds.
 */
export default function writeOutTags(xhtml: string): string {
  const parts: string[] = [];
  let [written, at] = [0, 0];
  let hasDoctype = false;
  for (;;) {
    const lt = xhtml.indexOf('<', at);
    if (lt === -1) break;
    if (!/[a-z_]/i.test(xhtml.charAt(lt + 1))) {
      at = endOfMark(xhtml, lt);
      if (xhtml.startsWith(cdataStart, lt) && xhtml.endsWith(cdataEnd, at)) {
        const text = xhtml.slice(lt + cdataStart.length, at - cdataEnd.length);
        parts.push(xhtml.slice(written, lt), text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
        written = at;
      } else if (xhtml.startsWith('<?', lt) && xhtml.endsWith('?>', at) && xhtml.indexOf('>', lt) < at - 1) {
        // To a parser of HTML it ends there.
        parts.push(xhtml.slice(written, lt));
        written = at;
      } else if (!hasDoctype && doctype.test(xhtml.slice(lt, lt + 9))) {
        hasDoctype = true;
        const subset = subsetOf(xhtml, lt);
        if (subset === null) continue;
        parts.push(xhtml.slice(written, subset.start));
        written = at = subset.end;
      }
      continue;
    }
    const name = nameAt(xhtml, lt + 1);
    const nameEnd = lt + 1 + name.length;
    at = skipTag(xhtml, nameEnd);
    if (!isSelfClosing(xhtml, nameEnd, at)) {
      if (ownText.has(name)) at = behind(xhtml, `</${name}`, at);
    } else if (!isVoid(name)) {
      parts.push(xhtml.slice(written, at - 2), `></${xhtml.slice(lt + 1, nameEnd)}>`);
      written = at;
    }
  }
  return parts.join('') + xhtml.slice(written);
}

/** Of a comment, CDATA, an instruction, an end tag. */
function endOfMark(xhtml: string, lt: number): number {
  if (xhtml.startsWith('<!--', lt)) return behind(xhtml, '-->', lt + 4);
  if (xhtml.startsWith(cdataStart, lt)) return behind(xhtml, cdataEnd, lt + cdataStart.length);
  return xhtml.startsWith('<?', lt) ? behind(xhtml, '?>', lt + 2) : lt + 1;
}

function behind(xhtml: string, text: string, from: number): number {
  const found = xhtml.indexOf(text, from);
  return found === -1 ? xhtml.length : found + text.length;
}

/** The declarations in a doctype, in their brackets: to a parser of HTML they are text. */
function subsetOf(xhtml: string, lt: number): { start: number; end: number } | null {
  const gt = xhtml.indexOf('>', lt);
  const start = xhtml.slice(lt, gt).indexOf('[');
  if (gt === -1 || start === -1) return null;
  subsetEnd.lastIndex = lt + start;
  const found = subsetEnd.exec(xhtml);
  return found === null ? null : { start: lt + start, end: found.index + 1 };
}

/** A value without quotes may end with a slash, in what is no XML. */
function isSelfClosing(xhtml: string, from: number, end: number): boolean {
  if (!xhtml.endsWith('/>', end)) return false;
  let at = end - 3;
  while (at >= from && !/[\s"'=]/.test(xhtml.charAt(at))) at--;
  return at < from || xhtml.charAt(at) !== '=';
}
