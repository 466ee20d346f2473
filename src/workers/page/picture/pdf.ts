import type { Page, PDFMargin, PDFOptions } from 'puppeteer-core';

import { AppError } from '../../../shared/errors.ts';
import type { Warning } from '../../../shared/schemas/job.ts';
import { mostSheets, type PdfOptions as Layout } from '../../../shared/schemas/pdf-options.ts';
import { orAfter, withDeadline } from '../../browser/deadline.ts';
import { unresponsive } from '../load/page-state.ts';
import { type Preparation, preparePage } from './prepare-shot.ts';
import { scrollThrough } from './scroll-through.ts';
import { standStill } from './stand-still.ts';

export interface PdfOptions extends Preparation {
  /** Waited before it is printed, milliseconds. */
  delay?: number;
  /** CSS pixels down to which lazy images are loaded. Default 30,000. */
  maxHeight?: number;
  layout?: Layout;
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

/** For whether there is one sheet more than are printed. */
const probeWithinMs = 5_000;
const cssPixelsPerPoint = 96 / 72;

/**
 * Prints the page, backgrounds included, on A4 or on the paper that its own style sheet names; 200 sheets at most.
 * @throws AppError `invalid_request` (a selector to hide, sheets that are not there, margins that leave no room),
 * `page_unresponsive` (at the deadline).
 */
export async function printPdf(page: Page, options: PdfOptions): Promise<PrintedPage> {
  return withDeadline(print(page, options), options.timeoutMs ?? 30_000, unresponsive);
}

async function print(page: Page, options: PdfOptions): Promise<PrintedPage> {
  const { warnings } = await preparePage(page, options);
  await scrollThrough(page, options.maxHeight ?? 30_000);
  if (options.delay) await new Promise((resolve) => setTimeout(resolve, options.delay));
  await standStill(page);
  const printer = toPrinter(options.layout, page.url().startsWith('data:'));
  const bytes = Buffer.from(await page.pdf(printer).catch(explain));
  const isFull = options.layout?.pages === undefined && countSheets(bytes) >= mostSheets;
  const truncated = isFull && (await hasSheet(page, printer, mostSheets + 1));
  if (truncated) {
    const message = `The document ends after ${mostSheets} sheets; the page may go on.`;
    warnings.push({ code: 'image_truncated', message });
  }
  return { image: bytes, ...readPaperSize(bytes), truncated, warnings };
}

function toPrinter(layout: Layout | undefined, isInline: boolean): PDFOptions {
  const { header, footer, paper } = layout ?? {};
  const hasLines = header !== undefined || footer !== undefined;
  return {
    format: paper ?? 'a4',
    preferCSSPageSize: paper === undefined,
    landscape: layout?.landscape ?? false,
    scale: layout?.scale ?? 1,
    printBackground: layout?.background ?? true,
    margin: { ...(hasLines ? { top: '2cm', bottom: '2cm' } : {}), ...marginOf(layout?.margin) },
    displayHeaderFooter: hasLines,
    // Where one is missing, Chromium would print its own.
    headerTemplate: toTemplate(header, isInline),
    footerTemplate: toTemplate(footer, isInline),
    pageRanges: layout?.pages?.replaceAll(' ', '') ?? `1-${mostSheets}`,
    timeout: 0,
  };
}

/** Chromium's own size is that of a speck. Both lines are boxes of its own, which lay out what a template has. */
function toTemplate(template = '<span></span>', isInline: boolean): string {
  // To Chromium, all of a page that a request brings is its address.
  const hidden = isInline ? '.url{display:none!important}' : '';
  return `<style>#header,#footer{font-size:9px}${hidden}</style>${template}`;
}

function marginOf(margin: Layout['margin']): PDFMargin {
  if (typeof margin === 'string') return { top: margin, right: margin, bottom: margin, left: margin };
  return Object.fromEntries(Object.entries(margin ?? {}).filter(([, length]) => length !== undefined));
}

async function hasSheet(page: Page, printer: PDFOptions, sheet: number): Promise<boolean> {
  const printed = page.pdf({ ...printer, pageRanges: String(sheet) }).then(
    () => true,
    (error: unknown) => !isMissingSheet(String(error)),
  );
  return await orAfter(printed, probeWithinMs, true);
}

/** What Chromium says of options that do not fit the page. */
function explain(error: unknown): never {
  const said = String(error);
  const refuse = (path: string, message: string): never => {
    throw new AppError('invalid_request', message, { errors: [{ path, message }], cause: error });
  };
  if (isMissingSheet(said)) refuse('pdf.pages', 'The document has fewer sheets than `pdf.pages` names.');
  if (/content area|print parameters|margin/i.test(said))
    refuse(
      'pdf.margin',
      'The margins leave no room on the paper. Ask for smaller ones, or a larger `paper`.',
    );
  throw error;
}

const isMissingSheet = (said: string) => /page range/i.test(said);

/** Chromium writes the dictionaries of its sheets in the clear. */
function countSheets(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

function readPaperSize(pdf: Buffer): { width: number; height: number } {
  const box = /\/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)\s*\]/.exec(pdf.toString('latin1'));
  const toCssPixels = (points: string | undefined): number => Math.round(Number(points) * cssPixelsPerPoint);
  return { width: toCssPixels(box?.[1]), height: toCssPixels(box?.[2]) };
}
