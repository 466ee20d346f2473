import { decodeXML } from 'entities';

/** sitemaps.org: shorter than 2,048. */
export const longestUrl = 2_048;
/** What a URL may stand in, with white space around it. */
const longestText = 4 * longestUrl;
const cdata = '<![CDATA[';
/** Characters of what a document type declares. */
const longestSubset = 65_536;
const doctype = /^<!doctype\s+(\w*)[^[>]{0,1000}\[?/i;
const comment = /<!--[^]*?-->/g;
/** Those of XML itself may be declared again, and mean the same. */
const entity =
  /<!ENTITY\s+(?!(?:amp|lt|gt|quot|apos)\s)([\w.:-]{1,64})\s+(?:"([^"]{0,2048})"|'([^']{0,2048})')/g;
/** Each begins where the one before has ended. */
const attribute = /([^\s=/"'<>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g;
const entityReference = /&([\w.:-]{1,64});/g;

/** Reads the tags of XML one after the other, comments and declarations left out, damaged or not. */
export function* readTags(
  xml: string,
): Generator<{ name: string; isEnd: boolean; isEmpty: boolean; attributes: string; textStart: number }> {
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at)) {
    const skipped = skipMarkup(xml, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const close = endOfTag(xml, at);
    if (close === -1) return;
    const isEnd = xml[at + 1] === '/';
    const tag = xml.slice(at + (isEnd ? 2 : 1), Math.min(close, at + longestUrl));
    const name = /^[^\s/>]*/.exec(tag)?.[0].toLowerCase() ?? '';
    at = close + 1;
    const isEmpty = xml[close - 1] === '/';
    yield { name, isEnd, isEmpty, attributes: tag.slice(name.length), textStart: at };
  }
}

/** Its `>`, which may stand in an attribute too; `<` may not, so that an odd quotation mark costs its own tag only. */
function endOfTag(xml: string, open: number): number {
  const marks = /[<>"']/g;
  marks.lastIndex = open + 1;
  let quote = '';
  for (let found = marks.exec(xml); found !== null; found = marks.exec(xml)) {
    const [mark] = found;
    if (mark === '<') break;
    if (quote !== '') quote = mark === quote ? '' : quote;
    else if (mark === '>') return found.index;
    else quote = mark;
  }
  return xml.indexOf('>', open);
}

/** Where a comment, a CDATA section or an instruction that begins here ends; `at` where none begins. */
function skipMarkup(xml: string, at: number): number {
  for (const [open, close] of [
    ['<!--', '-->'],
    [cdata, ']]>'],
    ['<?', '?>'],
    ['<!', '>'],
  ] as const) {
    if (!xml.startsWith(open, at)) continue;
    const end = xml.indexOf(close, at + open.length);
    return end === -1 ? xml.length : end + close.length;
  }
  return at;
}

interface Prolog {
  /** The name that the document's type declares for its root, in lower case; empty where it declares none. */
  type: string;
  /** Without what the type declares in brackets. */
  document: string;
  /** What it declares there, as far as they are texts. */
  entities: ReadonlyMap<string, string>;
}

/** Reads what stands before the root, and takes out what its type declares. */
export function readProlog(xml: string): Prolog {
  let at = xml.indexOf('<');
  while (at !== -1 && /^<(?:\?|!--)/.test(xml.slice(at, at + 4))) at = xml.indexOf('<', skipMarkup(xml, at));
  const [declared, type = ''] = (at === -1 ? null : doctype.exec(xml.slice(at, at + longestSubset))) ?? [];
  const entities = new Map<string, string>();
  const told = { type: type.toLowerCase(), document: xml, entities };
  if (declared?.endsWith('[') !== true) return told;
  const start = at + declared.length;
  const length = lengthOfSubset(xml.slice(start, start + longestSubset));
  if (length === null) return told;
  const subset = xml.slice(start, start + length).replace(comment, '');
  for (const [, name = '', double, single] of subset.matchAll(entity))
    if (!entities.has(name)) entities.set(name, double ?? single ?? '');
  return { ...told, document: xml.slice(0, start) + xml.slice(start + length) };
}

/** Up to its bracket, which may stand in a text or a comment too; null where none ends it. */
function lengthOfSubset(text: string): number | null {
  const marks = /<!--|["']|\]\s*>/g;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const [mark] = found;
    if (mark.startsWith(']')) return found.index;
    const close = mark === '<!--' ? '-->' : mark;
    const end = text.indexOf(close, marks.lastIndex);
    if (end === -1) return null;
    marks.lastIndex = end + close.length;
  }
  return null;
}

/** What would be too long for a URL is cut: references are short, and what they stand for is not. */
function replaceEntities(text: string, entities: ReadonlyMap<string, string>): string {
  let left = longestText;
  return text.replace(entityReference, (reference, name: string) => {
    const value = entities.get(name) ?? reference;
    left -= value.length;
    return left < 0 ? '' : value;
  });
}

/** The text from here to the next tag, CDATA sections unpacked, comments left out; empty where it is too long for a URL. */
export function textFrom(xml: string, start: number, entities: ReadonlyMap<string, string>): string {
  let text = '';
  let at = start;
  while (text.length <= longestText) {
    const open = xml.indexOf('<', at);
    const raw = xml.slice(at, Math.min(open === -1 ? xml.length : open, at + longestText + 1));
    text += decodeXML(entities.size === 0 ? raw : replaceEntities(raw, entities));
    // The file is cut off, and an address with it.
    if (open === -1) return '';
    at = skipMarkup(xml, open);
    if (at === open) return text.length > longestText ? '' : text.trim();
    if (!xml.startsWith(cdata, open)) continue;
    const end = xml.startsWith(']]>', at - 3) ? at - 3 : open;
    text += xml.slice(open + cdata.length, Math.min(end, open + cdata.length + longestText + 1));
  }
  return '';
}

/** Of a tag, by their names in lower case; in the value of one stands no other. */
export function readAttributes(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', double, single] of text.matchAll(attribute)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, double ?? single ?? '');
  }
  return found;
}

export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
/** Up to the colon. */
export const prefixOf = (name: string): string => name.slice(0, name.indexOf(':') + 1);
