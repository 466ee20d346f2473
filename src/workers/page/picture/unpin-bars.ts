import type { Page } from 'puppeteer-core';

import { isolatedWorldOf } from '../../browser/isolated-world.ts';

/**
 * Puts what stays in view while a page scrolls where it belongs in a picture of the whole page, once: what sticks
 * goes to its place in the text, what is fixed to the window's bottom to the page's, and backgrounds to what they are of.
 * @param pageHeight of the picture, CSS pixels.
 */
export async function unpinBars(page: Page, pageHeight: number): Promise<void> {
  await isolatedWorldOf(page).evaluate(unpinInPage, pageHeight);
}

function unpinInPage(pageHeight: number): void {
  const below = pageHeight - window.innerHeight;
  if (below <= 0) return;
  const set = (element: HTMLElement, name: string, value: string): void =>
    element.style.setProperty(name, value, 'important');
  const unpin = (element: HTMLElement, style: CSSStyleDeclaration): void => {
    if (style.position === 'sticky') {
      set(element, 'position', 'relative');
      set(element, 'inset', 'auto');
      return;
    }
    // One that a transformed ancestor holds moves with it.
    if (element.offsetParent !== null) return;
    const [top, bottom] = [Number.parseFloat(style.top), Number.parseFloat(style.bottom)];
    // One that begins near the window's top, as a menu at the side, begins with the page.
    const quarter = window.innerHeight / 4;
    const isAtBottom = bottom < quarter && top >= quarter;
    if (!isAtBottom) return;
    set(element, 'transition', 'none');
    set(element, 'top', `${top + below}px`);
    set(element, 'bottom', `${bottom - below}px`);
  };
  // Chromium draws a background that is fixed to the window no further than the window.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*,::before,::after{background-attachment:scroll!important}');
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (!(element instanceof HTMLElement)) continue;
      const style = getComputedStyle(element);
      if (style.position === 'sticky' || style.position === 'fixed') unpin(element, style);
    }
  }
}
