import { setTimeout } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { AppError } from '../../../shared/errors.ts';
import { hasEndedScripts, openBlankPage } from '../../browser/blank-page.ts';
import { orAfter } from '../../browser/deadline.ts';
import { isolatedWorldOf } from '../../browser/isolated-world.ts';
import type { LaunchedChromium } from '../../browser/launched-chromium.ts';
import { silentLog } from '../../browser/log.ts';
import { sendToOriginOnly } from '../../browser/origin-secrets.ts';
import { launchBySandboxPolicy } from '../../browser/sandbox-policy.ts';
import {
  findChallenge,
  orWithCookies,
  scannedCharacters,
  targetBlocked,
} from '../../page/fetch/challenge.ts';
import { toPageSetup } from '../../page/page-request.ts';
import { collectPage } from '../collect-page.ts';
import { describePage } from '../describe-page.ts';
import { findTitle, type PageFacts } from '../page-facts.ts';
import { type Heard, listenToPage } from './listen-to-page.ts';
import { lighthouseCategories, type Measured, type MeasureOrder } from './messages.ts';
import { endlessScript, type LighthouseReport, readReport } from './read-report.ts';

/** As Lighthouse has them for the two devices. */
const screens = {
  mobile: { width: 412, height: 823, deviceScaleFactor: 1.75, mobile: true },
  desktop: { width: 1350, height: 940, deviceScaleFactor: 1, mobile: false },
} as const;

/** Of reading the page and of its picture, each: a page in an endless loop answers neither. */
const readWithinMs = 10_000;
/** Of its HTML, beside that: without it there are still the facts of the page. */
const htmlWithinMs = 3_000;
/** Of a page that is asked whether it is still there, late in its load. */
const answerWithinMs = 5_000;
const noReaper = { watch() {}, discard: async () => {} };

/** Measures a page in a Chromium of its own, which is left running. @throws AppError where it cannot be measured. */
export async function measurePage(order: MeasureOrder): Promise<Measured> {
  // Loaded while Chromium starts: each takes about a second.
  const loading = loadLighthouse();
  loading.catch(() => undefined);
  const chromium = await launchBySandboxPolicy(
    {
      ...order.parts,
      reaper: noReaper,
      profileFolder: order.profileFolder,
      joinsOurGroup: true,
      hearsConsole: true,
    },
    order.sandbox,
    silentLog,
  );
  const { page } = await openBlankPage(chromium, order.proxy);
  const crashed = Promise.withResolvers<never>();
  crashed.promise.catch(() => undefined);
  const lose = () => crashed.reject(new AppError('page_crashed', 'The page crashed while it was measured.'));
  page.once('error', lose);
  chromium.browser.once('disconnected', lose);
  await prepare(page, order);
  const heard = await listenToPage(page);
  const { lighthouse, desktopConfig } = await loading;
  const report = await Promise.race([
    runLighthouse(page, order, { lighthouse, desktopConfig }),
    crashed.promise,
    untilHung(page, order),
  ]);
  // Read before the report, whose error would hide a bot challenge, and before the picture, which changes the page's size.
  const reading = readPage(page, heard, chromium);
  const facts = await orAfter(reading, readWithinMs + htmlWithinMs, null).catch(orRefuse);
  const run = readReport(report, order);
  const screenshot = await orAfter(takePicture(page, order), readWithinMs, null).catch(() => null);
  return { run, page: facts, screenshot, hasEndedScripts: hasEndedScripts(page) };
}

/**
 * Rejects where the script of a page still runs when its load should be over: Lighthouse would wait for a minute more.
 * Once a page has loaded it may be held up for long, by Lighthouse's own checks of a large page.
 */
async function untilHung(page: Page, { timeoutMs }: MeasureOrder): Promise<never> {
  const never = new Promise<never>(() => undefined);
  let hasLoaded = false;
  page.on('load', () => (hasLoaded ||= page.url().startsWith('http')));
  const session = await page.createCDPSession();
  await setTimeout(timeoutMs + answerWithinMs);
  if (hasLoaded) return await never;
  const asked = session.send('Runtime.evaluate', { expression: '1' }).then(
    () => true,
    () => true,
  );
  if (await orAfter(asked, answerWithinMs, false)) return await never;
  throw new AppError('page_unresponsive', endlessScript);
}

async function loadLighthouse() {
  const [{ default: lighthouse }, { default: desktopConfig }] = await Promise.all([
    import('lighthouse'),
    import('lighthouse/core/config/desktop-config.js'),
  ]);
  return { lighthouse, desktopConfig };
}

async function prepare(page: Page, order: MeasureOrder): Promise<void> {
  const { url, verifyTls } = order;
  const { headers = {}, cookies = [] } = toPageSetup(order);
  const session = await page.createCDPSession();
  if (!verifyTls) await session.send('Security.setIgnoreCertificateErrors', { ignore: true });
  if (Object.keys(headers).length + cookies.length === 0) return;
  await sendToOriginOnly(session, { targetUrl: url, headers, cookies });
}

async function runLighthouse(
  page: Page,
  order: MeasureOrder,
  { lighthouse, desktopConfig }: Awaited<ReturnType<typeof loadLighthouse>>,
): Promise<LighthouseReport> {
  const { url, device, categories, timeoutMs, userAgent, locale, verifyTls } = order;
  const flags = {
    // Lighthouse's own messages, in English: `locale` is what the page is asked in.
    // Without a category of Lighthouse it only loads the page for our own checks; for no audit at all it takes all.
    ...(categories.length > 0
      ? { onlyCategories: categories.map((name) => lighthouseCategories[name]) }
      : { onlyAudits: ['http-status-code'] }),
    maxWaitForLoad: timeoutMs,
    maxWaitForFcp: timeoutMs,
    // It doubles the memory and half the time, for thumbnails of elements that nobody here shows.
    disableFullPageScreenshot: true,
    // The profile is new; this would delete the cookies that the request has set.
    disableStorageReset: true,
    logLevel: 'silent' as const,
    // Lighthouse asks for robots.txt outside of the page, where the certificate is not accepted.
    ...(verifyTls ? {} : { skipAudits: ['robots-txt'] }),
    ...(userAgent === undefined ? {} : { emulatedUserAgent: userAgent }),
    ...(locale === undefined ? {} : { extraHeaders: { 'Accept-Language': locale } }),
  };
  const result = await lighthouse(url, flags, device === 'desktop' ? desktopConfig : undefined, page);
  if (result === undefined) throw new Error('Lighthouse answered nothing');
  const report = result.lhr as unknown as LighthouseReport;
  return categories.length > 0 ? report : { ...report, categories: {} };
}

/** Runs in the page. */
const readHtml = (most: number): string => document.documentElement?.outerHTML.slice(0, most) ?? '';

/** A page that cannot be read is measured all the same; one that is not to be reviewed is not. */
function orRefuse(error: unknown): null {
  if (error instanceof AppError) throw error;
  return null;
}

/** @throws AppError `target_blocked` where it is a bot challenge. */
async function readPage(
  page: Page,
  { document: answer, plainRequests }: Heard,
  { session }: LaunchedChromium,
): Promise<PageFacts> {
  const world = isolatedWorldOf(page);
  const collected = await world.evaluate(collectPage);
  const html = await orAfter(world.evaluate(readHtml, scannedCharacters), htmlWithinMs, '').catch(() => '');
  const title = findTitle(collected);
  const shown = { status: answer?.status ?? null, headers: answer?.headers ?? {}, html, title };
  const blocked = findChallenge(shown, () => collected.text);
  if (blocked !== null) throw targetBlocked(blocked, orWithCookies);
  const contextId = page.browserContext().id;
  const { cookies } = await session.send(
    'Storage.getCookies',
    contextId === undefined ? {} : { browserContextId: contextId },
  );
  return describePage(collected, {
    tlsProtocol: answer?.tlsProtocol ?? null,
    plainRequests: [...plainRequests],
    cookies,
  });
}

async function takePicture(page: Page, { device }: MeasureOrder): Promise<Measured['screenshot']> {
  const screen = screens[device];
  const session = await page.createCDPSession();
  // Puppeteer's own methods would load the page again for a phone, and take the picture in one pixel a CSS pixel.
  await session.send('Emulation.setDeviceMetricsOverride', screen);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'jpeg',
    quality: 80,
    optimizeForSpeed: true,
  });
  const { width, height, deviceScaleFactor } = screen;
  return {
    jpeg: Buffer.from(data, 'base64'),
    width: Math.floor(width * deviceScaleFactor),
    height: Math.floor(height * deviceScaleFactor),
  };
}
