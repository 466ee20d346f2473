import { charsetLabelOf, decodeText, isWideText } from '../html/charset.ts';
import type { TextKind } from '../html/declared-charset.ts';
import { startsAsFile } from './file-signatures.ts';
import { findOfficeKind, type OfficeKind } from './office-kind.ts';

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
const looksLikeHtml = /^\s*(<!doctype\s+html|<html|<head|<body|<!--|<title|<script|<h1|<div|<p\b)/i;
/** A page all the same: browsers go by the namespace of the root. */
const startsAsXhtml =
  /^[^<]{0,9}(?:<(?:\?(?!xml-stylesheet)|!--|!doctype)[^>]{0,500}>\s{0,99}){0,9}<html\s[^>]{0,500}xmlns\s{0,9}=\s{0,9}["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i;
const looksLikeXml = /^\s*<\?xml\b/;
const sniffedBytes = 1_024;
const markedWide = /^(?:\xff\xfe|\xfe\xff)/;
/** Of the head: a log has a stray control character now and then, and no file has so few. */
const strayShare = 0.05;

/** Whether each of two lines and more, the last aside where it may be cut off, falls into as many cells. */
function looksLikeTable(shown: string, isWhole: boolean): boolean {
  const lines = shown.replace(/^\ufeff|^\xef\xbb\xbf|"[^"]*"/g, '').split(/\r?\n/);
  const whole = lines.slice(0, isWhole ? undefined : -1).filter((line) => line !== '');
  const hasCells = (separator: string): boolean => {
    const [first = 1, ...rest] = whole.map((line) => line.split(separator).length);
    return first > 1 && rest.length > 0 && rest.every((count) => count === first);
  };
  return !/^\s*[<{[]/.test(shown) && ['\t', ';', ','].some(hasCells);
}

/** Bytes that no text has, as the MIME sniffing standard lists them (section 3, "binary data byte"). */
function isBinary(head: Buffer): boolean {
  const binary = head.filter(
    (byte) =>
      byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f),
  );
  return binary.length > head.length * strayShare;
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
 * @returns null for what is neither text nor a document that can be read.
 */
export function findBodyKind(
  contentType: string | null,
  body: Buffer,
  contentTypeHeader = contentType ?? '',
): BodyKind | null {
  const type = nameableType(contentType);
  const kind = kindOfType(type);
  if (kind === 'pdf') return kind;
  const head = body.subarray(0, sniffedBytes);
  const text = head.toString('latin1');
  // No text begins so: a page cannot be what is called one here.
  if (text.startsWith('%PDF-')) return 'pdf';
  if (startsAsFile(head)) return findOfficeKind(body);

  const isVague = type !== null && (vagueTypes.test(type) || type === excelType);
  const isOpen = type === null || type === 'text/plain' || isVague;
  if (kind === null && !isOpen) return null;
  if (kind === 'xml' && startsAsXhtml.test(text)) return 'html';
  if (kind !== null) return kind;
  const isWide = isWideText(body) || charsetLabelOf(contentTypeHeader)?.startsWith('utf-16') === true;
  if (!isWide && isBinary(head)) return null;
  if (isVague) {
    // Spreadsheets write UTF-16 with its mark.
    const table = markedWide.test(text) ? decodeText(head, 'utf-16le') : isWide ? '' : text;
    return looksLikeTable(table, body.length < sniffedBytes) ? 'csv' : null;
  }
  const shown = isWide ? text.replaceAll('\0', '').replace(markedWide, '') : text;
  if (type === null && looksLikeXml.test(shown)) return 'xml';
  return type === null && looksLikeHtml.test(shown) ? 'html' : 'text';
}
