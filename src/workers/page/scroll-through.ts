import type { Page } from 'puppeteer-core';

const scrollMs = 8_000;
const imagesMs = 5_000;

/**
 * Scrolls a page to its end and back so that images and sections which load when seen are there. Bounded by
 * `maxHeight` (CSS pixels), 8 s of scrolling and 5 s for the images that are then still loading.
 * @returns the page's height in CSS pixels afterwards.
 */
export async function scrollThrough(page: Page, maxHeight: number): Promise<number> {
  return page.evaluate(scrollInPage, maxHeight, scrollMs, imagesMs);
}

async function scrollInPage(
  maxHeight: number,
  scrollLimitMs: number,
  imagesLimitMs: number,
): Promise<number> {
  const pageHeight = (): number =>
    Math.max(document.documentElement?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0);
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  // An observer is told at the next frame; frames may stand still in a page that is not shown.
  const nextFrame = (): Promise<void> =>
    Promise.race([new Promise<void>((resolve) => requestAnimationFrame(() => resolve())), pause(50)]);
  for (const image of document.querySelectorAll<HTMLImageElement>('img[loading="lazy"]'))
    image.loading = 'eager';
  if (pageHeight() > window.innerHeight) {
    const end = performance.now() + scrollLimitMs;
    for (let top = window.innerHeight; top < Math.min(pageHeight(), maxHeight); top += window.innerHeight) {
      window.scrollTo({ top, behavior: 'instant' });
      await nextFrame();
      await nextFrame();
      if (performance.now() > end) break;
    }
  }
  const unfinished = [...document.images].filter((image) => image.src !== '' && !image.complete);
  await Promise.race([
    Promise.all(unfinished.map((image) => image.decode().catch(() => {}))),
    pause(imagesLimitMs),
  ]);
  window.scrollTo({ top: 0, left: 0, behavior: 'instant' });
  await nextFrame();
  return pageHeight();
}
