import { isUtf8 } from 'node:buffer';
import { charsetLabelOf, decodeText, isWideText } from '../html/charset.ts';
import type { TextKind } from '../html/declared-charset.ts';
import { startsAsFile } from './file-signatures.ts';
import { findOfficeKind, type OfficeKind } from './office-kind.ts';
import { findSeparator, tableHead } from './table-lines.ts';

/** Files that are read as they are, not decoded as text. */
export type DocumentKind = 'pdf' | OfficeKind;
export type BodyKind = TextKind | 'csv' | DocumentKind;

const textKinds: ReadonlySet<string> = new Set(['html', 'xml', 'text', 'csv'] satisfies BodyKind[]);
export function isDocument(kind: BodyKind): kind is DocumentKind {
  return !textKinds.has(kind);
}

const htmlTypes = /^(text\/html|application\/xhtml\+xml)$/;
const xmlTypes = /^(text\/xml|application\/xml|application\/[\w.-]+\+xml|image\/svg\+xml)$/;
const textTypes =
  /^(text\/.+|application\/([\w.-]+\+)?json|application\/(x-)?(javascript|ecmascript|ndjson|json-seq|yaml|toml|sql|graphql))$/;
const csvTypes = /^(text\/(x-)?(csv|comma-separated-values|tab-separated-values)|application\/(x-)?csv)$/;
const pdfTypes = /^application\/(x-)?pdf$/;
/** Types that servers send for whatever they do not know. */
const vagueTypes = /^(application\/(octet-stream|x-unknown|unknown|force-download)|binary\/octet-stream)$/;
/** A type that servers send for CSV too. */
const excelType = 'application/vnd.ms-excel';
const tableName = /\.(?:csv|tsv)$/i;
/** MIME Sniffing, 7.1. */
const looksLikeHtml =
  /^\s*<(?:!--|(?:!doctype\s+html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>])/i;
/** A page all the same: browsers go by the namespace of the root. */
const startsAsXhtml =
  /^[^<]{0,9}(?:<(?:\?(?!xml-stylesheet)|!--|!doctype)[^>]{0,500}>\s{0,99}){0,9}<html\s[^>]{0,500}xmlns\s{0,9}=\s{0,9}["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i;
const looksLikeXml = /^\s*<\?xml\b/;
/** What no cell of a table begins with. */
const startsAsPage = /^\s*(?:<!doctype\s+html|<html|<head|<body)\b/i;
const pdfHead = /(?:^|[\r\n])%PDF-\d/;
const sniffedBytes = 1_024;
const markedWide = /^(?:\xff\xfe|\xfe\xff)/;
/** Of the head: a log has a stray control character now and then, and no file has so few. */
const strayShare = 0.05;
/** Bytes among which a file that is no text has one of those that no text has. */
const tellingBytes = 256;

/** Bytes that no text has, as the MIME sniffing standard lists them (section 3, "binary data byte"). */
function isBinary(head: Buffer, allowed = strayShare): boolean {
  const binary = head.filter(
    (byte) =>
      byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f),
  );
  return binary.length > head.length * allowed;
}

/** Null for what names no type, `html` and such like among it: browsers look at the bytes then. */
function nameableType(contentType: string | null): string | null {
  return contentType !== null && /^[^/\s*]+\/[^/\s*]+$/.test(contentType) ? contentType : null;
}

function kindOfType(type: string | null): BodyKind | null {
  if (type === null || type === 'text/plain') return null;
  if (pdfTypes.test(type)) return 'pdf';
  if (htmlTypes.test(type)) return 'html';
  if (xmlTypes.test(type)) return 'xml';
  if (csvTypes.test(type)) return 'csv';
  return textTypes.test(type) ? 'text' : null;
}

/** By its type alone: no file that is downloaded. */
export function mayBePage(contentType: string | null): boolean {
  const type = nameableType(contentType);
  return type === null || /^(html|xml|text)$/.test(kindOfType(type) ?? (type === 'text/plain' ? 'text' : ''));
}

/**
 * What a body is, by its type, and by its bytes where the type says nothing or is belied by them.
 * @param contentTypeHeader as it was sent; its charset tells text from bytes in UTF-16.
 * @param path of its address, which may name a table.
 * @returns null for what is neither text nor a document that can be read.
 */
export function findBodyKind(
  contentType: string | null,
  body: Buffer,
  contentTypeHeader = contentType ?? '',
  path = '',
): BodyKind | null {
  const type = nameableType(contentType);
  const kind = kindOfType(type);
  const head = body.subarray(0, sniffedBytes);
  const text = head.toString('latin1');
  // No text begins so: a page cannot be what is called one here.
  if (text.startsWith('%PDF-')) return 'pdf';
  if (startsAsFile(head)) return findOfficeKind(body);

  const isVague = type !== null && (vagueTypes.test(type) || type === excelType);
  if (kind === null && type !== null && type !== 'text/plain' && !isVague) return null;
  if (kind === 'xml' && startsAsXhtml.test(text)) return 'html';
  // A server's page that says what went wrong comes with the type of what was asked for.
  if (kind === 'csv' && startsAsPage.test(text)) return 'html';
  if (kind !== null && kind !== 'pdf') return kind;
  const isWide = isWideText(body) || charsetLabelOf(contentTypeHeader)?.startsWith('utf-16') === true;
  const isText = isVague || kind === 'pdf' ? isPlainText(head) : isWide || !isBinary(head);
  // Readers of PDF skip what stands before it; a text or page of no type may quote it.
  const mark = type === null ? /^\s*%PDF-\d/ : pdfHead;
  if (type !== 'text/plain' && !(kind === null && looksLikeHtml.test(text)) && mark.test(text)) return 'pdf';
  if (!isText) return kind;
  const shown = isWide ? text.replaceAll('\0', '').replace(markedWide, '') : text;
  if (type !== 'text/plain' && looksLikeXml.test(shown)) return startsAsXhtml.test(shown) ? 'html' : 'xml';
  if (type !== 'text/plain' && looksLikeHtml.test(shown)) return 'html';
  const lines = body.subarray(0, tableHead);
  // Spreadsheets write UTF-16 with its mark.
  const table = markedWide.test(text)
    ? decodeText(lines, 'utf-16le')
    : isWide
      ? ''
      : lines.toString('latin1');
  const isLikely = isVague || tableName.test(path);
  return findSeparator(table, body.length <= tableHead, isLikely) === null ? 'text' : 'csv';
}

/** What comes as bytes of no kind is text where nothing in it says otherwise. */
function isPlainText(head: Buffer): boolean {
  if (markedWide.test(head.toString('latin1'))) {
    // The last character may be cut in two.
    const text = decodeText(head, 'utf-16le').slice(0, -1);
    return !text.includes('\ufffd') && !isBinary(Buffer.from(text), 0);
  }
  return head.length > 0 && !isBinary(head, 0) && (head.length >= tellingBytes || isUtf8(head));
}
