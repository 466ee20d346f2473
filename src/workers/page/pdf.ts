import type { Page } from 'puppeteer-core';

import type { Warning } from '../../shared/schemas/job.ts';
import { withDeadline } from '../browser/deadline.ts';
import { unresponsive } from './page-state.ts';
import { type Preparation, preparePage } from './prepare-shot.ts';
import { scrollThrough } from './scroll-through.ts';
import { standStill } from './stand-still.ts';

export interface PdfOptions extends Preparation {
  /** Waited before it is printed, milliseconds. */
  delay?: number;
  /** CSS pixels down to which lazy images are loaded. Default 30,000. */
  maxHeight?: number;
  /** For everything together. Default 30,000. */
  timeoutMs?: number;
}

export interface PrintedPage {
  image: Buffer;
  /** Of the first sheet, in CSS pixels. */
  width: number;
  height: number;
  truncated: boolean;
  warnings: Warning[];
}

const maxSheets = 200;
const cssPixelsPerPoint = 96 / 72;

/**
 * Prints the page, backgrounds included, on A4 or on the paper that its own style sheet names; 200 sheets at most.
 * @throws AppError `invalid_request` (a selector to hide), `page_unresponsive` (at the deadline).
 */
export async function printPdf(page: Page, options: PdfOptions): Promise<PrintedPage> {
  return withDeadline(print(page, options), options.timeoutMs ?? 30_000, unresponsive);
}

async function print(page: Page, options: PdfOptions): Promise<PrintedPage> {
  const { warnings } = await preparePage(page, options);
  await scrollThrough(page, options.maxHeight ?? 30_000);
  if (options.delay) await new Promise((resolve) => setTimeout(resolve, options.delay));
  await standStill(page);
  const paper = { format: 'a4', preferCSSPageSize: true, printBackground: true, timeout: 0 } as const;
  const bytes = Buffer.from(await page.pdf({ ...paper, pageRanges: `1-${maxSheets}` }));
  const truncated = countSheets(bytes) >= maxSheets;
  if (truncated) {
    const message = `The document ends after ${maxSheets} sheets; the page may go on.`;
    warnings.push({ code: 'image_truncated', message });
  }
  return { image: bytes, ...readPaperSize(bytes), truncated, warnings };
}

/** Chromium writes the dictionaries of its sheets in the clear. */
function countSheets(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

function readPaperSize(pdf: Buffer): { width: number; height: number } {
  const box = /\/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)\s*\]/.exec(pdf.toString('latin1'));
  const toCssPixels = (points: string | undefined): number => Math.round(Number(points) * cssPixelsPerPoint);
  return { width: toCssPixels(box?.[1]), height: toCssPixels(box?.[2]) };
}
