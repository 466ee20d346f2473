import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Page } from 'puppeteer-core';

import { createEgressDoor } from '../../src/shared/egress/door.ts';
import type { EgressDoor, EgressLease } from '../../src/shared/egress/types.ts';
import { type Chromium, createChromium, type PageOptions } from '../../src/workers/browser/chromium.ts';
import type { ChromiumOptions } from '../../src/workers/browser/chromium-keeper.ts';
import { loadPage, type LoadedPage, type LoadOptions } from '../../src/workers/page/load/load.ts';
import { type Site, startSite } from './site.ts';

/** Kept between runs: the bundled Chromium is unpacked once. */
export const testDataFolder = process.env['BROWSER_FOLDER'] ?? join(tmpdir(), 'quarry-test-browser');

export interface BrowserBench extends AsyncDisposable {
  site: Site;
  /** Opens the fixture site only. */
  door: EgressDoor;
  chromium: Chromium;
  /** Runs `job` in a page on a lease of its own. */
  withPage<T>(
    options: Omit<PageOptions, 'lease'>,
    job: (page: Page, lease: EgressLease) => Promise<T>,
  ): Promise<T>;
  /** Loads a path of the site (or a whole URL). */
  load(path: string, options?: Partial<LoadOptions>): Promise<LoadedPage>;
}

/**
 * A fixture site, a door that opens nothing else, and a Chromium behind it.
 * @param options.opensAhead opens each job's page before the job, as a worker does.
 */
export async function startBrowserBench(
  options: Partial<ChromiumOptions> & { opensAhead?: boolean } = {},
): Promise<BrowserBench> {
  const site = await startSite();
  const door = createEgressDoor({ allow: [`127.0.0.1:${site.port}`] });
  const ahead = options.opensAhead ? { openProxy: () => door.openProxy() } : {};
  const chromium = createChromium({ dataFolder: testDataFolder, ...ahead, ...options });
  const withPage: BrowserBench['withPage'] = async (pageOptions, job) => {
    await using lease = door.openLease();
    return await chromium.withPage({ ...pageOptions, lease }, (page) => job(page, lease));
  };
  return {
    site,
    door,
    chromium,
    withPage,
    load: (path, loadOptions) =>
      withPage({}, (page, lease) => {
        const url = path.startsWith('/') ? site.origin + path : path;
        return loadPage(page, { url, timeoutMs: 10_000, lease, ...loadOptions });
      }),
    async [Symbol.asyncDispose]() {
      await chromium[Symbol.asyncDispose]();
      await door[Symbol.asyncDispose]();
      await site.close();
    },
  };
}

/** What a promise is rejected with. @throws Error when it is not. */
export async function failureOf(
  work: Promise<unknown>,
): Promise<{ code: string; detail: string; errors?: unknown }> {
  try {
    await work;
  } catch (error) {
    return error as { code: string; detail: string; errors?: unknown };
  }
  throw new Error('It should have failed');
}
