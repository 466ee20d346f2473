import type { ChromiumExecutable } from './executable.ts';

/**
 * The proxy of the browser itself: a port that nobody listens on. Pages have their own proxy through their
 * context, so what Chromium would fetch for itself (updates, reports, spell-check lists) ends here.
 */
const nowhere = 'http://127.0.0.1:1';

/** Lets loopback and link-local go through the proxy too; Chromium otherwise goes there directly. */
export const proxyEverything = '<-loopback>';

const disabledFeatures = [
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'DnsOverHttps',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'Prerender2',
  'Translate',
  'WebOTP',
  // It joins a multicast group to hide local addresses, of which the policy below shows none anyway.
  'WebRtcHideLocalIpsWithMdns',
];

/**
 * How Chromium is started: nothing of its own on the network, no prompt, no way around the proxy.
 * Puppeteer's own defaults are not used; every flag is here.
 */
export function chromiumFlags(
  executable: ChromiumExecutable,
  options: { profileFolder: string; sandbox: boolean; sharedMemory: boolean; userAgent: string },
): string[] {
  return [
    // Nothing leaves except through the proxy.
    `--proxy-server=${nowhere}`,
    `--proxy-bypass-list=${proxyEverything}`,
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    // WebRTC would leave by UDP; the full browser reads the first name, the headless shell the second.
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-client-side-phishing-detection',
    '--disable-domain-reliability',
    '--disable-sync',
    '--disable-breakpad',
    '--disable-crash-reporter',
    '--metrics-recording-only',
    '--no-pings',
    // A jar knows hosts, not origins: without this, a socket to another port of the host gets a page's cookies.
    '--enable-features=EnablePortBoundCookies',
    '--dns-prefetch-disable',
    `--disable-features=${disabledFeatures.join(',')}`,
    // No prompts, no windows, no extras.
    executable.kind === 'headless-shell' ? '--headless' : '--headless=new',
    '--no-first-run',
    '--no-default-browser-check',
    '--deny-permission-prompts',
    '--block-new-web-contents',
    '--disable-extensions',
    '--disable-default-apps',
    '--disable-component-extensions-with-background-pages',
    '--disable-search-engine-choice-screen',
    '--disable-notifications',
    // Nothing holds up what they ask for (`RequestGate`). Browsers on phones have none either.
    '--disable-shared-workers',
    '--disable-print-preview',
    '--password-store=basic',
    '--use-mock-keychain',
    '--mute-audio',
    '--hide-scrollbars',
    // A page in the background would be slowed down, and every page here is in the background.
    '--disable-background-timer-throttling',
    '--disable-backgrounding-occluded-windows',
    '--disable-renderer-backgrounding',
    '--disable-hang-monitor',
    '--disable-prompt-on-repost',
    // Software drawing, the same picture on every machine.
    '--disable-gpu',
    '--force-color-profile=srgb',
    '--font-render-hinting=none',
    // Moving images show their first picture: two shots of a page are the same.
    '--blink-settings=imageAnimationPolicy=2',
    ...(options.sharedMemory ? [] : ['--disable-dev-shm-usage']),
    ...(options.sandbox ? [] : ['--no-sandbox']),
    `--user-agent=${options.userAgent}`,
    '--lang=en-US',
    '--accept-lang=en-US,en',
    `--user-data-dir=${options.profileFolder}`,
    '--remote-debugging-pipe',
    '--no-startup-window',
  ];
}
