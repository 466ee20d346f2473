import type { Page } from 'puppeteer-core';

import { withDeadline } from '../../browser/deadline.ts';
import { isolatedWorldOf } from '../../browser/isolated-world.ts';
import { frameMark, putFrames, readFrames } from './frame-content.ts';
import { unresponsive } from './page-state.ts';
import { longestTitle } from '../html/title.ts';

export interface Snapshot {
  /**
   * The document as the browser holds it now, doctype included, open shadow trees as declarative ones, what frames
   * show behind their elements as `<section data-frame="URL">`. For a page of plain text or JSON: its viewer.
   */
  html: string;
  title: string;
  /** As browsers call it, in lower case. */
  charset: string;
  /** Of the document that is shown. */
  contentType: string;
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
  const taken = take(page, maxBytes);
  const { html, ...told } = await withDeadline(taken, options.timeoutMs ?? 10_000, unresponsive);
  const { title, charset, contentType, cut } = told;
  // Characters bound what crosses the pipe; only then is it known how many bytes they make.
  const bytes = Buffer.from(html.toWellFormed());
  if (bytes.length <= maxBytes)
    return {
      html: html.toWellFormed(),
      title,
      charset,
      contentType,
      sizeBytes: bytes.length,
      truncated: cut,
    };
  const kept = cutAtCharacter(bytes, maxBytes);
  return { html: kept.toString(), title, charset, contentType, sizeBytes: kept.length, truncated: true };
}

async function take(page: Page, maxBytes: number): Promise<ReadDocument> {
  const frames = await readFrames(page.mainFrame());
  const read = await isolatedWorldOf(page).evaluate(readInPage, maxBytes, longestTitle, frameMark);
  return { ...read, html: putFrames(read.html, frames) };
}

interface ReadDocument extends Pick<Snapshot, 'html' | 'title' | 'charset' | 'contentType'> {
  cut: boolean;
}

function readInPage(maxLength: number, maxTitle: number, mark: string): ReadDocument {
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
  } else if (document.body instanceof HTMLFrameSetElement) {
    // Nothing but frames may stand in a frameset.
    const places = Array.from(document.body.querySelectorAll(`[${mark}]`), (frame) =>
      frame.getAttribute(mark),
    );
    const body = places.map((place) => `<div ${mark}="${place}"></div>`).join('');
    const shell = (root.cloneNode(false) as Element).outerHTML;
    const end = shell.lastIndexOf('</');
    html = `${shell.slice(0, end)}${document.head.outerHTML}<body>${body}</body>${shell.slice(end)}`;
  } else html = root?.outerHTML ?? '';
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) + '\n' : '';
  html = doctype + html;
  return {
    html: html.slice(0, maxLength),
    title: document.title.slice(0, maxTitle),
    charset: document.characterSet.toLowerCase(),
    contentType: document.contentType,
    cut: html.length > maxLength,
  };
}

/** Cuts UTF-8 before the character that would cross `maxBytes`. */
function cutAtCharacter(bytes: Buffer, maxBytes: number): Buffer {
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
