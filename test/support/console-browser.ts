import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { inject } from 'vitest';
import { findExecutable } from '../../src/workers/browser/executable.ts';
import { prepareFonts } from '../../src/workers/browser/fonts.ts';
import { silentLog } from '../../src/workers/browser/log.ts';
import { testDataFolder } from './browser.ts';

export interface ConsoleBrowser extends AsyncDisposable {
  /** A new tab of a person who has never been here. */
  open(): Promise<ConsolePage>;
}

export interface ConsolePage {
  page: Page;
  /** What the browser complained of: errors of scripts, refusals of the content policy, files that are missing. */
  complaints: string[];
  /** The text of the page, as it is seen. */
  text(): Promise<string>;
  /** Waits until the page shows the text. */
  shows(text: string | RegExp): Promise<void>;
  goTo(hash: string): Promise<void>;
}

const launchOptions = ['--no-sandbox', '--force-color-profile=srgb'];

/** Failed requests are told to the console too, and are what many answers of the API are. */
const isComplaint = (text: string) => !/Failed to load resource: .* 4\d\d/.test(text);

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

async function openPage(browser: Browser): Promise<ConsolePage> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && isComplaint(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  const text = () => page.evaluate(() => document.body.textContent ?? '');
  return {
    page,
    complaints,
    text,
    async shows(wanted) {
      const { source, flags } = typeof wanted === 'string' ? new RegExp(escape(wanted)) : wanted;
      await page.waitForFunction(
        (pattern, its) => new RegExp(pattern, its).test(document.body.textContent ?? ''),
        { polling: 50 },
        source,
        flags,
      );
    },
    async goTo(hash) {
      await page.evaluate((wanted) => {
        location.hash = wanted;
      }, hash);
    },
  };
}

/** A Chromium on the console of the shared stack, once that is built. */
export async function startConsoleBrowser(): Promise<ConsoleBrowser> {
  const executable = await findExecutable({ dataFolder: testDataFolder, log: silentLog });
  const fontEnv = await prepareFonts(testDataFolder, undefined);
  const browser = await puppeteer.launch({
    executablePath: executable.path,
    headless: executable.kind === 'headless-shell' ? 'shell' : true,
    pipe: true,
    args: launchOptions,
    env: { ...process.env, ...executable.env, ...fontEnv },
  });
  const { url } = inject('stack');
  // A clone whose sources are newer than what `npm ci` has built builds it again beside the start.
  while ((await fetch(url)).status === 503) await new Promise((resolve) => setTimeout(resolve, 250));
  return {
    open: () => openPage(browser),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
