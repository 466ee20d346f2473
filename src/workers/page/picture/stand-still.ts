import type { Frame, Page } from 'puppeteer-core';

import { orAfter } from '../../browser/deadline.ts';
import { isolatedWorldOf } from '../../browser/isolated-world.ts';

const frameMs = 1_500;
const maxFrames = 100;

/**
 * Makes everything that moves stand still, in all frames, so that two pictures of a page are the same: finite
 * animations at their end, endless ones, videos and marquees at their beginning, no blinking caret.
 */
export async function standStill(page: Page): Promise<void> {
  // A frame that went away or whose script never ends is left as it is; the page itself answers or fails later.
  const stop = (frame: Frame) =>
    orAfter(
      isolatedWorldOf(frame)
        .evaluate(stopInPage)
        .catch(() => {}),
      frameMs,
      undefined,
    );
  await Promise.all(page.frames().slice(0, maxFrames).map(stop));
}

async function stopInPage(): Promise<void> {
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots)
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot);
  const all = <E extends Element>(selector: string): E[] =>
    roots.flatMap((root) => [...root.querySelectorAll<E>(selector)]);

  const finish = (): void => {
    for (const animation of roots.flatMap((root) => root.getAnimations())) {
      try {
        if (animation.effect?.getComputedTiming().endTime === Infinity) animation.cancel();
        else animation.finish();
      } catch {
        // One without a timeline cannot be finished; it does not move either.
      }
    }
  };
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, *::before, *::after { caret-color: transparent !important }');
  for (const root of roots) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  for (const svg of all('svg')) {
    // One that a script made as an HTML element is none.
    if (!(svg instanceof SVGSVGElement)) continue;
    svg.pauseAnimations();
    // Where most that end have ended, and endless ones are always at the same point.
    if (svg.querySelector('animate,animateTransform,animateMotion,set')) svg.setCurrentTime(10);
  }
  // A marquee that is stopped stays wherever it was; a new one that does not scroll stands where each begins.
  for (const marquee of all('marquee')) {
    const still = marquee.cloneNode(false) as Element;
    still.setAttribute('scrollamount', '0');
    still.append(...marquee.childNodes);
    marquee.replaceWith(still);
  }
  const rewind = async (video: HTMLVideoElement): Promise<void> => {
    video.pause();
    video.autoplay = false;
    if (video.currentTime === 0) return;
    const sought = new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
    video.currentTime = 0;
    await sought;
  };
  const late = new Promise((resolve) => setTimeout(resolve, 1_000));
  await Promise.race([Promise.all(all<HTMLVideoElement>('video').map(rewind)), late]);
  finish();
  // What ends may begin the next one.
  await Promise.race([
    new Promise<void>((resolve) => requestAnimationFrame(() => resolve())),
    new Promise<void>((resolve) => setTimeout(resolve, 50)),
  ]);
  finish();
}
