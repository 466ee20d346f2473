import type { Page } from 'puppeteer-core';

import { AppError } from '../../../shared/errors.ts';
import type { Warning } from '../../../shared/schemas/job.ts';
import { isolatedWorldOf } from '../../browser/isolated-world.ts';
import { unresponsive } from '../load/page-state.ts';

const elementImagesMs = 5_000;
/** Parts of an element whose backgrounds are waited for. */
const mostBackgrounds = 2_000;

export interface Preparation {
  /** Elements that are left out; each a CSS selector. */
  hideSelectors?: string[];
  /** What was to come from these hosts is left out, so that no broken frame stands for it. */
  hiddenHosts?: string[];
  /** Added to the page. */
  css?: string;
}

/**
 * Makes the page ready to be drawn, in one round trip: fonts loaded (3 s at most), the caller's style sheet.
 * @throws AppError `invalid_request` when a selector to hide is none.
 */
export async function preparePage(
  page: Page,
  options: Preparation,
): Promise<{ warnings: Warning[]; pageHeight: number; pageWidth: number; layoutWidth: number }> {
  const hide = options.hideSelectors ?? [];
  const prepare = () =>
    isolatedWorldOf(page).evaluate(prepareInPage, hide, options.hiddenHosts ?? [], options.css ?? '');
  let result = await prepare();
  if (result === 'cut') {
    await beginDrawing(page);
    result = await prepare();
  }
  if (result === 'cut') throw unresponsive();
  if (result.badSelector !== null) {
    const path = `hideSelectors.${result.badSelector}`;
    const message = `"${hide[result.badSelector]}" is not a CSS selector.`;
    throw new AppError('invalid_request', message, { errors: [{ path, message }] });
  }
  const warnings: Warning[] = [];
  if (result.fontsLate) {
    const message = 'Web fonts were still loading; text may be drawn in another font.';
    warnings.push({ code: 'fonts_not_loaded', message });
  }
  if (hasImport(options.css ?? '')) {
    const message = 'The `@import` of `css` was left out: give the rules themselves.';
    warnings.push({ code: 'css_import_ignored', message });
  }
  const { pageHeight, pageWidth, layoutWidth } = result;
  return { warnings, pageHeight, pageWidth, layoutWidth };
}

interface Held {
  root: Element | null;
}

/** A document is drawn from when its parser comes to the body: an empty one takes back what the page has. */
async function beginDrawing(page: Page): Promise<void> {
  const session = await page.createCDPSession();
  const { frameTree } = await session.send('Page.getFrameTree');
  const html = '<!doctype html><html xmlns="http://www.w3.org/1999/xhtml"><body></body></html>';
  await session.send('Page.setDocumentContent', { frameId: frameTree.frame.id, html });
  await isolatedWorldOf(page).evaluate(() => {
    const { root } = globalThis as unknown as Held;
    if (root === null) return;
    root.append(document.body);
    document.documentElement.replaceWith(root);
  });
}

/** Of a style sheet that is made by a script, browsers take no imports. */
function hasImport(css: string): boolean {
  return /@import[\s"'(u]/i.test(css.replaceAll(/\/\*[^]*?(\*\/|$)/g, ' '));
}

/**
 * Brings an element into view, all of it in turn, and waits for its images, lazy ones too, 5 s at most.
 * @throws AppError `selector_not_found` (none, or one without a size), `invalid_request` (no selector).
 */
export async function findElementBox(
  page: Page,
  selector: string,
): Promise<{ x: number; y: number; width: number; height: number }> {
  const found = await isolatedWorldOf(page).evaluate(
    async (text, imagesMs, mostParts) => {
      let element: Element | null;
      try {
        element = document.querySelector(text);
      } catch {
        return 'invalid';
      }
      if (!element) return 'missing';
      const show = (): void => element.scrollIntoView({ block: 'center', behavior: 'instant' });
      const late = new Promise((resolve) => setTimeout(resolve, imagesMs));
      const nextFrame = (): Promise<unknown> =>
        Promise.race([new Promise((resolve) => requestAnimationFrame(resolve)), late]);
      /** Itself and what is in it, open shadow trees too. */
      const findParts = (): Element[] => {
        const parts = [element, ...element.querySelectorAll('*')];
        for (const { shadowRoot } of parts)
          for (const inner of shadowRoot?.querySelectorAll('*') ?? []) parts.push(inner);
        return parts;
      };
      const findImages = (): HTMLImageElement[] => {
        const images = findParts().filter((part) => part instanceof HTMLImageElement);
        for (const image of images) image.loading = 'eager';
        return images;
      };
      /** Another image of the same address has loaded when a background has. */
      const findBackgrounds = (): HTMLImageElement[] => {
        const styles = findParts()
          .slice(0, mostParts)
          .map((part) => getComputedStyle(part).backgroundImage);
        const urls = styles.flatMap((style) =>
          Array.from(style.matchAll(/url\("(https?:[^"]+)"\)/g), ([, url]) => url),
        );
        return [...new Set(urls)].map((url) => Object.assign(new Image(), { src: url }));
      };
      findImages();
      show();
      // Scripts that load what is seen are told of it a frame later.
      await nextFrame().then(nextFrame);
      const end = performance.now() + imagesMs / 2;
      const whole = element.getBoundingClientRect();
      const foot = whole.bottom + window.scrollY;
      let top = whole.height > window.innerHeight ? whole.top + window.scrollY : foot;
      for (; top < foot && performance.now() < end; top += window.innerHeight) {
        window.scrollTo({ top, behavior: 'instant' });
        await nextFrame().then(nextFrame);
      }
      const unfinished = [...findImages(), ...findBackgrounds()].filter((image) => !image.complete);
      await Promise.race([Promise.all(unfinished.map((image) => image.decode().catch(() => {}))), late]);
      show();
      const box = element.getBoundingClientRect();
      const left = Math.max(0, Math.floor(box.left + window.scrollX));
      const above = Math.max(0, Math.floor(box.top + window.scrollY));
      const width = Math.ceil(box.right + window.scrollX) - left;
      const height = Math.ceil(box.bottom + window.scrollY) - above;
      return width > 0 && height > 0 && box.width > 0 && box.height > 0
        ? { x: left, y: above, width, height }
        : 'empty';
    },
    selector,
    elementImagesMs,
    mostBackgrounds,
  );
  if (found === 'invalid') {
    const message = `"${selector}" is not a CSS selector.`;
    throw new AppError('invalid_request', message, { errors: [{ path: 'selector', message }] });
  }
  if (found === 'missing') throw new AppError('selector_not_found', `No element matches "${selector}".`);
  if (found === 'empty') {
    throw new AppError('selector_not_found', `The element "${selector}" is not visible: it has no size.`);
  }
  return found;
}

async function prepareInPage(
  hideSelectors: string[],
  hiddenHosts: string[],
  css: string,
): Promise<
  | {
      badSelector: number | null;
      fontsLate: boolean;
      pageHeight: number;
      pageWidth: number;
      layoutWidth: number;
    }
  | 'cut'
> {
  // It was stopped before its body, or has led elsewhere before that and did not get there: Chromium draws nothing of it.
  const top = document.documentElement as Element | null;
  if (document.body === null && (top === null || top instanceof HTMLHtmlElement)) {
    Object.assign(globalThis, { root: top } satisfies Held);
    return 'cut';
  }
  if (matchMedia('(scripting: none)').matches) {
    // A page whose scripts were ended has frames but runs no timers, ours neither.
    const afterFrames = (done: () => void, ms = 0): void => {
      const end = performance.now() + ms;
      const onFrame = (): void => (performance.now() < end ? void requestAnimationFrame(onFrame) : done());
      onFrame();
    };
    globalThis.setTimeout = afterFrames as typeof setTimeout;
  }
  const rules: string[] = [];
  for (const [index, selector] of hideSelectors.entries()) {
    try {
      document.createDocumentFragment().querySelector(selector);
    } catch {
      return { badSelector: index, fontsLate: false, pageHeight: 0, pageWidth: 0, layoutWidth: 0 };
    }
    rules.push(`${selector} { display: none !important; }`);
  }
  if (hiddenHosts.length > 0) {
    for (const element of document.querySelectorAll<HTMLIFrameElement>('iframe[src],img[src],embed[src]')) {
      const host = URL.parse(element.src)?.hostname;
      if (host && hiddenHosts.includes(host)) element.style.setProperty('display', 'none', 'important');
    }
  }
  if (css || rules.length > 0) {
    // A constructed sheet, not an element: the page's content security policy does not apply to it.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`${rules.join('\n')}\n${css}`);
    const trees: (Document | ShadowRoot)[] = [document];
    for (const tree of trees)
      for (const element of tree.querySelectorAll('*'))
        if (element.shadowRoot) trees.push(element.shadowRoot);
    for (const tree of trees) tree.adoptedStyleSheets = [...tree.adoptedStyleSheets, sheet];
    // A font that it brings begins to load when the page is laid out.
    document.documentElement?.getBoundingClientRect();
  }
  let fontsLate = false;
  if (document.fonts.status === 'loading') {
    fontsLate = await Promise.race([
      document.fonts.ready.then(() => false),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 3_000)),
    ]);
  }
  const root = document.documentElement;
  // What the page hides at its side is not to be seen by scrolling either.
  const isCut = [root, document.body].some(
    (element) => element !== null && /hidden|clip/.test(getComputedStyle(element).overflowX),
  );
  const widths = isCut ? [] : [root?.scrollWidth ?? 0, document.body?.scrollWidth ?? 0];
  return {
    badSelector: null,
    fontsLate,
    pageWidth: Math.max(root?.clientWidth ?? 0, ...widths),
    layoutWidth: root?.clientWidth ?? 0,
    pageHeight: Math.max(root?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0),
  };
}
