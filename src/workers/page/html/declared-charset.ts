import { normalizeEncoding } from '@exodus/bytes/encoding.js';
import { type HtmlHandlers, createHtmlScanner } from './scan-html.ts';

export type TextKind = 'html' | 'xml' | 'text';

/** Where a declaration is looked for in any case (HTML standard, 13.2.3.2); further on only in the head. */
const prescannedBytes = 1_024;
const pieceBytes = 4_096;
/** A head that is longer is no head. */
const longestHeadBytes = 262_144;
/** Tags after which a document is still in its head, as Chromium sees it. */
const headTags = new Set('html head title base link meta script style noscript object'.split(' '));

const xmlDeclaration = /^(?:\xef\xbb\xbf)?<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})/;

/** The charset in a `content` attribute (HTML standard, 2.6.5); null where there is none. */
function charsetInContent(content: string): string | null {
  const found = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(content);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? null;
}

function charsetOfMeta(attributes: ReadonlyMap<string, string>): string | null {
  const isPragma = attributes.get('http-equiv')?.toLowerCase() === 'content-type';
  return attributes.get('charset') ?? (isPragma ? charsetInContent(attributes.get('content') ?? '') : null);
}

/** Whoever can read the declaration as ASCII cannot be reading UTF-16. */
function toEncoding(label: string): string | null {
  const name = normalizeEncoding(label.trim());
  if (name?.startsWith('utf-16')) return 'utf-8';
  return name === 'x-user-defined' ? 'windows-1252' : name;
}

/** Reads as far as the head goes, in pieces: most documents say it in the first. */
function findInHead(body: Buffer): string | null {
  const found: { declared: string | null; isInHead: boolean } = { declared: null, isInHead: true };
  let isInNoscript = false;
  const handlers: HtmlHandlers = {
    onStartTag(name, attributes) {
      if (name === 'noscript') isInNoscript = true;
      // What pixels of trackers stand in is part of a head.
      if (!isInNoscript && !headTags.has(name)) found.isInHead = false;
      const label = name === 'meta' ? charsetOfMeta(attributes) : null;
      if (label !== null) found.declared ??= toEncoding(label);
    },
    onText: () => undefined,
    onEndTag(name) {
      if (name === 'noscript') isInNoscript = false;
      if (name === 'head') found.isInHead = false;
    },
  };
  const scanner = createHtmlScanner(handlers);
  const end = Math.min(body.length, longestHeadBytes);
  for (let at = 0; at < end && found.declared === null;) {
    if (!found.isInHead && at >= prescannedBytes) break;
    // The first piece is what is looked at in any case.
    const next = at + (at === 0 ? prescannedBytes : pieceBytes);
    scanner.write(body.toString('latin1', at, Math.min(next, end)));
    at = next;
  }
  return found.declared;
}

/** The encoding that a document itself names, as WHATWG calls it; null where it names none that is known. */
export function findDeclaredCharset(body: Buffer, kind: TextKind): string | null {
  if (kind === 'text') return null;
  const label = xmlDeclaration.exec(body.toString('latin1', 0, prescannedBytes))?.[1];
  const byXml = label === undefined ? null : toEncoding(label);
  return kind === 'xml' ? byXml : (findInHead(body) ?? byXml);
}
