export type ImageFormat = 'png' | 'jpeg' | 'webp';

/**
 * Past this many pixels Chromium needs more memory than one page may have, and from about 86,000 pixels of
 * height it silently leaves the rest white. 64 million pixels are 256 MB of raw image.
 */
const maxPixels = 64_000_000;

/** The longest side that each format, and Chromium's drawing of it, gives back whole. */
const maxSide: Record<ImageFormat, number> = {
  png: 65_000,
  jpeg: 65_000,
  // The format itself has 14 bits for a side.
  webp: 16_383,
};

/** The tallest image (device pixels) of a width that can be made whole; 0 when the width alone is too much. */
export function tallestImage(widthPx: number, format: ImageFormat): number {
  if (widthPx > maxSide[format]) return 0;
  return Math.min(maxSide[format], Math.floor(maxPixels / widthPx));
}
