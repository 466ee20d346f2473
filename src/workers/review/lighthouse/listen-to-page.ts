import type { HTTPResponse, Page } from 'puppeteer-core';
import { isPage } from '../../page/fetch/fetch-page.ts';

const mostPlain = 200;

/** The answer that a document of the main frame came in. */
interface LoadedDocument {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** As Chromium names it, e.g. `TLS 1.3`; null without TLS. */
  tlsProtocol: string | null;
}

export interface Heard {
  /** The last one that the page has shown; null before there is one. */
  document: LoadedDocument | null;
  /**
   * Addresses of plain http that the page asks for, in its frames too. Chromium tells of what it blocks or fetches over
   * HTTPS instead as an issue; what it lets through (on loopback) is a request.
   */
  plainRequests: ReadonlySet<string>;
}

/** Not a redirect, a download, or a page of Chromium's own, where Lighthouse goes and comes back from. */
function isShown(response: HTTPResponse): boolean {
  const [status, headers] = [response.status(), response.headers()];
  const isRedirect = status >= 300 && status < 400;
  return response.url().startsWith('http') && !isRedirect && isPage({ status, headers });
}

/** Listens from before the page is opened; what it returns fills up. */
export async function listenToPage(page: Page): Promise<Heard> {
  const plainRequests = new Set<string>();
  const heard: Heard = { document: null, plainRequests };
  const note = (url: string) => {
    if (url.startsWith('http:') && plainRequests.size < mostPlain) plainRequests.add(url.slice(0, 2_000));
  };
  page.on('request', (request) => {
    const isDocument = request.isNavigationRequest() && request.frame() === page.mainFrame();
    if (!isDocument) note(request.url());
  });
  page.on('response', (response) => {
    const request = response.request();
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
    if (!isShown(response)) return;
    const tlsProtocol = response.securityDetails()?.protocol() ?? null;
    heard.document = { status: response.status(), headers: response.headers(), tlsProtocol };
  });
  const session = await page.createCDPSession();
  session.on('Audits.issueAdded', ({ issue: { details } }) =>
    note(details.mixedContentIssueDetails?.insecureURL ?? ''),
  );
  await session.send('Audits.enable');
  return heard;
}
