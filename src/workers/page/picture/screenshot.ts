import { setTimeout as sleep } from 'node:timers/promises';

import type { Page, Viewport } from 'puppeteer-core';

import { AppError } from '../../../shared/errors.ts';
import type { Warning } from '../../../shared/schemas/job.ts';
import { withDeadline } from '../../browser/deadline.ts';
import { type ImageFormat, tallestImage } from './image-limits.ts';
import { readImageSize } from './image-size.ts';
import { unresponsive } from '../load/page-state.ts';
import { findElementBox, type Preparation, preparePage } from './prepare-shot.ts';
import { scrollThrough } from './scroll-through.ts';
import { standStill } from './stand-still.ts';
import { unpinBars } from './unpin-bars.ts';

export interface ScreenshotOptions extends Preparation {
  /** The whole page, not just the viewport. Default false. */
  fullPage?: boolean;
  format: ImageFormat;
  /** 1 to 100, for jpeg and webp. Default 80. */
  quality?: number;
  /** Only the first element that matches, in whole. */
  selector?: string;
  /** CSS pixels; what is taller is cut there. Default 30,000. */
  maxHeight?: number;
  /** Waited before the picture is taken, milliseconds. */
  delay?: number;
  /** For everything together, `delay` included. Default 30,000. */
  timeoutMs?: number;
}

export interface Screenshot {
  image: Buffer;
  /** Pixels of the image, which are device pixels of the page. */
  width: number;
  height: number;
  /** The page or element goes on below the image, or the page beside it. */
  truncated: boolean;
  warnings: Warning[];
}

const defaultMaxHeight = 30_000;
/** CSS pixels. A page that is wider is hardly meant to be seen in whole: its picture is as wide as was asked. */
const widestPage = 8_000;

/** CSS pixels from the top left of the document. */
interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Takes a picture of the page as it stands, with finite animations at their end and endless ones stopped.
 * @throws AppError `selector_not_found`, `invalid_request` (a selector), `image_too_large` (the width alone, or
 * the viewport, exceeds what can be drawn), `page_unresponsive` (at the deadline).
 */
export async function captureScreenshot(page: Page, options: ScreenshotOptions): Promise<Screenshot> {
  return withDeadline(capture(page, options), options.timeoutMs ?? 30_000, unresponsive);
}

async function capture(page: Page, options: ScreenshotOptions): Promise<Screenshot> {
  let viewport = page.viewport() ?? { width: 1280, height: 720 };
  const { warnings, pageHeight, pageWidth, layoutWidth } = await preparePage(page, options);
  const wholePage = options.fullPage === true && options.selector === undefined;
  let height = pageHeight;
  let maxHeight = options.maxHeight ?? defaultMaxHeight;
  if (wholePage) {
    const scrolled = await scrollThrough(page, maxHeight);
    height = scrolled.pageHeight + scrolled.innerHiddenHeight;
    if (scrolled.innerHiddenHeight > 0) {
      viewport = await enlarge(page, { ...viewport, height }, options);
      maxHeight = viewport.height;
    }
  }
  if (options.delay) await sleep(options.delay);
  await standStill(page);

  // A page without a viewport tag is laid out wider than a phone, which shows it smaller to fit.
  const zoom = viewport.isMobile && layoutWidth > viewport.width ? viewport.width / layoutWidth : 1;
  const wanted = viewport.isMobile ? layoutWidth : pageWidth;
  const width = wanted > widestPage ? viewport.width : Math.max(wanted, viewport.width);
  let area: Area = { x: 0, y: 0, width: viewport.width, height: viewport.height };
  if (options.selector !== undefined) area = await findElementBox(page, options.selector);
  else if (wholePage) area = { x: 0, y: 0, width, height: Math.max(height, viewport.height) };

  const canCut = wholePage || options.selector !== undefined;
  const pixelsPerCss = (viewport.deviceScaleFactor ?? 1) * (canCut ? zoom : 1);
  const { clip, truncated } = bound(area, { ...options, maxHeight }, pixelsPerCss, canCut);
  if (truncated) {
    const message = `The image ends at ${clip.height} CSS pixels; the whole would be ${Math.round(area.height)}.`;
    warnings.push({ code: 'image_truncated', message });
  }
  const isNarrowed = wholePage && pageWidth > area.width && !viewport.isMobile;
  if (isNarrowed) {
    const message = `The image ends at ${area.width} CSS pixels from its left; the whole would be ${pageWidth}.`;
    warnings.push({ code: 'image_truncated', message });
  }
  if (wholePage) await unpinBars(page, clip.height);
  const image = await shoot(page, options, canCut ? { ...clip, scale: zoom } : null);
  return { image, ...checkSize(image, clip, pixelsPerCss), truncated: truncated || isNarrowed, warnings };
}

/** A window as high as what an element that scrolls in its place holds, as far as it can be drawn. */
async function enlarge(page: Page, wished: Viewport, options: ScreenshotOptions): Promise<Viewport> {
  const { width, height, deviceScaleFactor = 1 } = wished;
  const tallestPx = tallestImage(Math.ceil(width * deviceScaleFactor), options.format);
  const allowed = Math.floor(Math.min(options.maxHeight ?? defaultMaxHeight, tallestPx / deviceScaleFactor));
  const larger = { ...wished, height: Math.max(1, Math.min(height, allowed)) };
  await page.setViewport(larger);
  // Once more: what was not shown before may load only now.
  await scrollThrough(page, larger.height);
  return larger;
}

function bound(
  area: Area,
  options: ScreenshotOptions,
  pixelsPerCss: number,
  canCut: boolean,
): { clip: Area; truncated: boolean } {
  const tallestPx = tallestImage(Math.ceil(area.width * pixelsPerCss), options.format);
  const maxHeight = canCut ? (options.maxHeight ?? defaultMaxHeight) : Infinity;
  const allowed = Math.floor(Math.min(maxHeight, tallestPx / pixelsPerCss));
  if (allowed < 1 || (!canCut && area.height > allowed)) {
    throw new AppError(
      'image_too_large',
      `${area.width} × ${area.height} CSS pixels at scale ${pixelsPerCss} are more than a ${options.format} image ` +
        'can hold here; ask for a smaller viewport, a lower deviceScaleFactor or another format.',
    );
  }
  return { clip: { ...area, height: Math.min(area.height, allowed) }, truncated: area.height > allowed };
}

async function shoot(
  page: Page,
  options: ScreenshotOptions,
  clip: (Area & { scale: number }) | null,
): Promise<Buffer> {
  const bytes = await page.screenshot({
    type: options.format,
    ...(options.format === 'png' ? {} : { quality: options.quality ?? 80 }),
    // PNG: a fifth less time for the whole shot, a fifth to a third more bytes. The others do not change.
    optimizeForSpeed: options.format === 'png',
    captureBeyondViewport: clip !== null,
    ...(clip ? { clip } : {}),
  });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** @throws AppError `image_too_large` when Chromium gave back less than it was asked for. */
function checkSize(image: Buffer, clip: Area, scale: number): { width: number; height: number } {
  const size = readImageSize(image);
  const missing =
    Math.abs(size.height - clip.height * scale) > 1 || Math.abs(size.width - clip.width * scale) > 1;
  if (missing) {
    throw new AppError(
      'image_too_large',
      `The browser could draw only ${size.width} × ${size.height} pixels of this page.`,
    );
  }
  return size;
}
