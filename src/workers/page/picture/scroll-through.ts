import type { Page } from 'puppeteer-core';

import { isolatedWorldOf } from '../../browser/isolated-world.ts';

const scrollMs = 8_000;
const imagesMs = 5_000;

export interface ScrolledPage {
  /** CSS pixels. */
  pageHeight: number;
  /** What an element that scrolls in place of the window does not show; 0 where the window scrolls. CSS pixels. */
  innerHiddenHeight: number;
}

/**
 * Scrolls a page to its end and back so that images and sections which load when seen are there. Bounded by
 * `maxHeight` (CSS pixels), 8 s of scrolling and 5 s for the images that are then still loading.
 */
export async function scrollThrough(page: Page, maxHeight: number): Promise<ScrolledPage> {
  return isolatedWorldOf(page).evaluate(scrollInPage, maxHeight, scrollMs, imagesMs);
}

async function scrollInPage(
  maxHeight: number,
  scrollLimitMs: number,
  imagesLimitMs: number,
): Promise<ScrolledPage> {
  const pageHeight = (): number =>
    Math.max(document.documentElement?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0);
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  // An observer is told at the next frame; frames may stand still in a page that is not shown.
  const nextFrame = (): Promise<void> =>
    Promise.race([new Promise<void>((resolve) => requestAnimationFrame(() => resolve())), pause(50)]);
  /** Those of open shadow trees too. */
  const findAll = <Found extends Element>(selector: string): Found[] => {
    const trees: (Document | ShadowRoot)[] = [document];
    for (const tree of trees)
      for (const element of tree.querySelectorAll('*'))
        if (element.shadowRoot) trees.push(element.shadowRoot);
    return trees.flatMap((tree) => [...tree.querySelectorAll<Found>(selector)]);
  };
  const findImages = (): HTMLImageElement[] => findAll<HTMLImageElement>('img');
  /** Those that scripts give to elements. Another image of the same address has loaded when they have. */
  const findBackgrounds = (): HTMLImageElement[] => {
    const styles = findAll('[style*="url("]').map((element) => getComputedStyle(element).backgroundImage);
    const urls = styles.flatMap((style) =>
      Array.from(style.matchAll(/url\("(https?:[^"]+)"\)/g), ([, url]) => url),
    );
    return [...new Set(urls)].map((url) => Object.assign(new Image(), { src: url }));
  };
  for (const image of findImages()) if (image.loading === 'lazy') image.loading = 'eager';

  /** Many apps scroll an element as large as the window, which itself does not scroll. */
  const findInnerScroller = (): Element | null => {
    if (pageHeight() > window.innerHeight + 1) return null;
    const viewport = window.innerWidth * window.innerHeight;
    for (const element of document.querySelectorAll('body,body *')) {
      const { clientHeight, clientWidth, scrollHeight } = element;
      if (clientHeight * clientWidth < viewport / 2 || scrollHeight < clientHeight + 50) continue;
      if (/auto|scroll/.test(getComputedStyle(element).overflowY)) return element;
    }
    return null;
  };
  const inner = findInnerScroller();
  const scroller = inner ?? window;
  const step = inner?.clientHeight ?? window.innerHeight;
  const height = (): number => inner?.scrollHeight ?? pageHeight();
  if (height() > step) {
    const end = performance.now() + scrollLimitMs;
    for (let top = step; top < Math.min(height(), maxHeight); top += step) {
      scroller.scrollTo({ top, behavior: 'instant' });
      await nextFrame();
      await nextFrame();
      if (performance.now() > end) break;
    }
  }
  const unfinished = [...findImages(), ...findBackgrounds()].filter((image) => !image.complete);
  await Promise.race([
    Promise.all(unfinished.map((image) => image.decode().catch(() => {}))),
    pause(imagesLimitMs),
  ]);
  scroller.scrollTo({ top: 0, left: 0, behavior: 'instant' });
  await nextFrame();
  return { pageHeight: pageHeight(), innerHiddenHeight: inner ? inner.scrollHeight - inner.clientHeight : 0 };
}
