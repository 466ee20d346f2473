import type { CDPSession } from 'puppeteer-core';

import { portOf } from '../../shared/egress/target-url.ts';

export interface OriginSecrets {
  /** The headers and cookies go to this URL's origin only. */
  targetUrl: string;
  headers: Record<string, string>;
  cookies: { name: string; value: string }[];
}

/**
 * Sends a page's own headers and cookies to one origin. `Fetch` overrides end at a redirect, where the next hop
 * is asked anew, so a header never follows a redirect to another origin.
 *
 * Cookies are set in the context's jar, where the page's scripts expect them. The jar knows hosts, not origins:
 * another port or scheme of the same host would get them too, so requests there are asked without any.
 */
export async function sendToOriginOnly(session: CDPSession, secrets: OriginSecrets): Promise<void> {
  const target = new URL(secrets.targetUrl);
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const isTarget = URL.parse(request.url)?.origin === target.origin;
    const headers = new Map(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    if (isTarget) {
      for (const [name, value] of Object.entries(secrets.headers)) headers.set(name.toLowerCase(), value);
    } else if (secrets.cookies.length > 0) {
      headers.set('cookie', '');
    }
    const overrides = [...headers].map(([name, value]) => ({ name, value }));
    // It fails when the request or the whole page went away meanwhile.
    session.send('Fetch.continueRequest', { requestId, headers: overrides }).catch(() => {});
  });
  const patterns = [`*://${target.hostname}/*`, `*://${target.hostname}:*/*`];
  await Promise.all([
    session.send('Fetch.enable', { patterns: patterns.map((urlPattern) => ({ urlPattern })) }),
    ...secrets.cookies.map((cookie) =>
      session.send('Network.setCookie', {
        ...cookie,
        url: target.href,
        path: '/',
        sourcePort: portOf(target),
      }),
    ),
  ]);
}
