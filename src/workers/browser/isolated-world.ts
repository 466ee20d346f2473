import type { Frame, Page } from 'puppeteer-core';

type World = Pick<Frame, 'evaluate' | 'waitForFunction'>;

/**
 * Where our scripts run: the same document, but built-ins of their own. What a page has done to its `Array.prototype`
 * or `JSON` does not reach them, and it cannot call what they define. (Puppeteer has this world for its own scripts
 * and marks the way to it as internal; the version is pinned.)
 */
export function isolatedWorldOf(target: Page | Frame): World {
  const frame = 'mainFrame' in target ? target.mainFrame() : target;
  return (frame as Frame & { isolatedRealm(): World }).isolatedRealm();
}
