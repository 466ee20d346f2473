/**
 * One run of Lighthouse as its own command line makes it: a process that loads it, a Chromium, a report. Started by
 * reviews.ts with what it takes as a message; ends by itself.
 */
import { once } from 'node:events';
import type { ProxyAddress } from '../src/shared/egress/types.ts';
import { openBlankPage } from '../src/workers/browser/blank-page.ts';
import type { ChromiumParts } from '../src/workers/browser/chromium-parts.ts';
import { LaunchedChromium } from '../src/workers/browser/launched-chromium.ts';

export interface BareRun {
  url: string;
  proxy: ProxyAddress;
  parts: ChromiumParts;
}

const noReaper = { watch() {}, discard: async () => {} };

const [{ url, proxy, parts }] = (await once(process, 'message')) as [BareRun];
const { default: lighthouse } = await import('lighthouse');
const chromium = await LaunchedChromium.launch({
  ...parts,
  sandbox: true,
  reaper: noReaper,
  hearsConsole: true,
});
const { page } = await openBlankPage(chromium, proxy);
const result = await lighthouse(
  url,
  { disableFullPageScreenshot: true, logLevel: 'silent' },
  undefined,
  page,
);
process.send?.(result?.lhr.categories['performance']?.score);
await chromium.kill();
process.exit(0);
