import type { TextKind } from './charset.ts';

export type BodyKind = TextKind | 'pdf';

const htmlTypes = /^(text\/html|application\/xhtml\+xml)$/;
const xmlTypes = /^(text\/xml|application\/xml|application\/[\w.-]+\+xml|image\/svg\+xml)$/;
const textTypes =
  /^(text\/.+|application\/([\w.-]+\+)?json|application\/(x-)?(javascript|ecmascript|ndjson|json-seq|yaml|toml|sql|graphql))$/;
/** Types that servers send for whatever they do not know. */
const vagueTypes = /^(application\/(octet-stream|x-unknown|unknown|force-download)|binary\/octet-stream)$/;
const looksLikeHtml = /^\s*(<!doctype\s+html|<html|<head|<body|<!--|<title|<script|<h1|<div|<p\b)/i;
const sniffedBytes = 1_024;

/** Bytes that no text has, as the MIME sniffing standard lists them (section 3, "binary data byte"). */
function isBinary(head: Buffer): boolean {
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  if (isWide) return false;
  return head.some(
    (byte) =>
      byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f),
  );
}

/**
 * What a body is, by its type, and by its bytes where the type says nothing.
 * @param contentType without parameters, lower case.
 * @returns null for what is neither text nor PDF.
 */
export function findBodyKind(contentType: string | null, body: Buffer): BodyKind | null {
  const head = body.subarray(0, sniffedBytes);
  if (contentType === 'application/pdf' || contentType === 'application/x-pdf') return 'pdf';
  if (contentType !== null && htmlTypes.test(contentType)) return 'html';
  if (contentType !== null && xmlTypes.test(contentType)) return 'xml';
  if (contentType !== null && contentType !== 'text/plain' && textTypes.test(contentType)) return 'text';
  const isOpen = contentType === null || contentType === 'text/plain' || vagueTypes.test(contentType);
  if (!isOpen) return null;
  if (head.subarray(0, 5).toString('latin1') === '%PDF-') return 'pdf';
  if (isBinary(head) || (contentType !== null && vagueTypes.test(contentType))) return null;
  return contentType === null && looksLikeHtml.test(head.toString('latin1')) ? 'html' : 'text';
}
