import type { CDPSession, Page } from 'puppeteer-core';

import { AppError } from '../../shared/errors.ts';
import { sendToOriginOnly } from './origin-secrets.ts';
import { watchTimers } from './timer-watch.ts';
import { type Device, hintsOf, userAgentOf } from './user-agent.ts';

export interface Viewport {
  /** CSS pixels. */
  width: number;
  height: number;
  deviceScaleFactor: number;
  mobile: boolean;
}

export interface PageSetup {
  viewport?: Viewport;
  /** Default: Chrome's own, of a phone when the viewport is mobile. */
  userAgent?: string;
  /** BCP 47, e.g. `de-CH`: the page's `navigator.language`, its formats and `Accept-Language`. */
  locale?: string;
  darkMode?: boolean;
  /** IANA name. Default: the machine's. */
  timeZone?: string;
  /** False accepts any certificate. Default true. */
  verifyTls?: boolean;
  /** Where `headers` and `cookies` may go: this URL's origin only. */
  targetUrl?: string;
  headers?: Record<string, string>;
  cookies?: { name: string; value: string }[];
}

/** Of a page that is not asked for on another. */
export const desktopViewport: Viewport = { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false };

/** Sends everything at once: commands of one session keep their order, so one round trip is enough. */
export async function setUpPage(page: Page, setup: PageSetup, chromiumVersion: string): Promise<void> {
  const { width, height, deviceScaleFactor, mobile } = setup.viewport ?? desktopViewport;
  const steps: Promise<unknown>[] = [
    page.setViewport({ width, height, deviceScaleFactor, isMobile: mobile, hasTouch: mobile }),
    watchTimers(page),
  ];
  if (setup.darkMode) {
    steps.push(page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]));
  }
  const device = mobile ? 'mobile' : 'desktop';
  if (!setup.locale) {
    const userAgent = setup.userAgent ?? userAgentOf(chromiumVersion, device);
    steps.push(page.setUserAgent({ userAgent, ...hintsFor(setup, chromiumVersion, device) }));
  }
  if (setup.timeZone) steps.push(emulateTimeZone(page, setup.timeZone));
  if (setup.locale || setup.verifyTls === false || hasSecrets(setup)) {
    const session = page.createCDPSession();
    steps.push(session.then((opened) => setUpSession(opened, setup, chromiumVersion, device)));
  }
  await Promise.all(steps);
}

/** Chromium wants a name in the case of the IANA database, which may be newer here than there. */
async function emulateTimeZone(page: Page, name: string): Promise<void> {
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
  try {
    await page.emulateTimezone(timeZone);
  } catch (error) {
    if (!/invalid timezone/i.test(String(error))) throw error;
    throw new AppError(
      'invalid_request',
      `The browser has no time zone ${timeZone}. Use another IANA zone with the same offset.`,
    );
  }
}

function hasSecrets({ headers, cookies }: PageSetup): boolean {
  return Object.keys(headers ?? {}).length > 0 || (cookies ?? []).length > 0;
}

/** Only for our own user agent: they would contradict another. */
function hintsFor(
  setup: PageSetup,
  version: string,
  device: Device,
): { userAgentMetadata?: ReturnType<typeof hintsOf> } {
  return setup.userAgent === undefined ? { userAgentMetadata: hintsOf(version, device) } : {};
}

/** What Puppeteer has no method for. */
async function setUpSession(
  session: CDPSession,
  setup: PageSetup,
  version: string,
  device: Device,
): Promise<void> {
  const { locale, verifyTls, targetUrl, headers = {}, cookies = [] } = setup;
  const steps: Promise<unknown>[] = [];
  if (locale) {
    steps.push(
      session.send('Emulation.setUserAgentOverride', {
        userAgent: setup.userAgent ?? userAgentOf(version, device),
        acceptLanguage: locale,
        ...hintsFor(setup, version, device),
      }),
      session.send('Emulation.setLocaleOverride', { locale: locale.replaceAll('-', '_') }),
    );
  }
  if (verifyTls === false) steps.push(session.send('Security.setIgnoreCertificateErrors', { ignore: true }));
  if (hasSecrets(setup)) {
    // Without a target they would go anywhere.
    if (targetUrl === undefined) throw new TypeError('headers and cookies need a targetUrl');
    steps.push(sendToOriginOnly(session, { targetUrl, headers, cookies }));
  }
  await Promise.all(steps);
}
