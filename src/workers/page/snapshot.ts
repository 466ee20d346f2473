import type { Page } from 'puppeteer-core';

import { withDeadline } from '../browser/deadline.ts';
import { isolatedWorldOf } from '../browser/isolated-world.ts';
import { unresponsive } from './page-state.ts';
import { longestTitle } from './title.ts';

export interface Snapshot {
  /**
   * The document as the browser holds it now, doctype included, open shadow trees as declarative ones. For a page
   * of plain text or JSON: its viewer.
   */
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
  const taken = isolatedWorldOf(page).evaluate(readInPage, maxBytes, longestTitle);
  const { html, title, cut } = await withDeadline(taken, options.timeoutMs ?? 10_000, unresponsive);
  // Characters bound what crosses the pipe; only then is it known how many bytes they make.
  const bytes = Buffer.from(html.toWellFormed());
  if (bytes.length <= maxBytes)
    return { html: html.toWellFormed(), title, sizeBytes: bytes.length, truncated: cut };
  const kept = cutAtCharacter(bytes, maxBytes);
  return { html: kept.toString(), title, sizeBytes: kept.length, truncated: true };
}

function readInPage(maxLength: number, maxTitle: number): { html: string; title: string; cut: boolean } {
  const root = document.documentElement;
  let html: string;
  const roots: (Document | ShadowRoot)[] = [document];
  for (const tree of roots)
    for (const element of tree.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot);
  const shadowRoots = roots.filter((tree) => tree instanceof ShadowRoot);
  if (shadowRoots.length > 0 && root instanceof HTMLHtmlElement) {
    // Only the content of an element is written with its shadow trees: its own tags stand around it.
    const shell = (root.cloneNode(false) as Element).outerHTML;
    const end = shell.lastIndexOf('</');
    html = shell.slice(0, end) + root.getHTML({ shadowRoots }) + shell.slice(end);
  } else html = root?.outerHTML ?? '';
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) + '\n' : '';
  html = doctype + html;
  return {
    html: html.slice(0, maxLength),
    title: document.title.slice(0, maxTitle),
    cut: html.length > maxLength,
  };
}

/** Cuts UTF-8 before the character that would cross `maxBytes`. */
function cutAtCharacter(bytes: Buffer, maxBytes: number): Buffer {
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
