import type { Page } from 'puppeteer-core';

import { withDeadline } from '../browser/deadline.ts';
import { unresponsive } from './page-state.ts';

export interface Snapshot {
  /** The document as the browser holds it now, doctype included. For a page of plain text or JSON: its viewer. */
  html: string;
  title: string;
  /** UTF-8 bytes of `html`. */
  sizeBytes: number;
  /** `html` was cut at `maxBytes`. */
  truncated: boolean;
}

export interface SnapshotOptions {
  /** UTF-8 bytes. Default 20 MiB. */
  maxBytes?: number;
  /** Default 10,000. */
  timeoutMs?: number;
}

/** @throws AppError `page_unresponsive` when the page does not answer in time. */
export async function snapshotHtml(page: Page, options: SnapshotOptions = {}): Promise<Snapshot> {
  const maxBytes = options.maxBytes ?? 20 * 1024 * 1024;
  const taken = page.evaluate((maxLength) => {
    const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) + '\n' : '';
    const html = doctype + (document.documentElement?.outerHTML ?? '');
    return { html: html.slice(0, maxLength), title: document.title, cut: html.length > maxLength };
  }, maxBytes);
  const { html, title, cut } = await withDeadline(taken, options.timeoutMs ?? 10_000, unresponsive);
  // Characters bound what crosses the pipe; only then is it known how many bytes they make.
  const bytes = Buffer.from(html.toWellFormed());
  if (bytes.length <= maxBytes)
    return { html: html.toWellFormed(), title, sizeBytes: bytes.length, truncated: cut };
  const kept = cutAtCharacter(bytes, maxBytes);
  return { html: kept.toString(), title, sizeBytes: kept.length, truncated: true };
}

/** Cuts UTF-8 before the character that would cross `maxBytes`. */
function cutAtCharacter(bytes: Buffer, maxBytes: number): Buffer {
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
