import type { Page } from 'puppeteer-core';

const mostPlain = 200;

/** A document of the main frame. */
interface LoadedDocument {
  url: string;
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** As Chromium names it, e.g. `TLS 1.3`; null without TLS. */
  tlsProtocol: string | null;
}

export interface Heard {
  /** In the order in which they came. */
  documents: readonly LoadedDocument[];
  /**
   * Addresses of plain http that the page asks for, in its frames too. Chromium tells of what it blocks or fetches over
   * HTTPS instead as an issue; what it lets through (on loopback) is a request.
   */
  plainRequests: ReadonlySet<string>;
}

/** Listens from before the page is opened; what it returns fills up. */
export async function listenToPage(page: Page): Promise<Heard> {
  const documents: LoadedDocument[] = [];
  const plainRequests = new Set<string>();
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
    const tlsProtocol = response.securityDetails()?.protocol() ?? null;
    documents.push({
      url: response.url(),
      status: response.status(),
      headers: response.headers(),
      tlsProtocol,
    });
  });
  const session = await page.createCDPSession();
  session.on('Audits.issueAdded', ({ issue: { details } }) =>
    note(details.mixedContentIssueDetails?.insecureURL ?? ''),
  );
  await session.send('Audits.enable');
  return { documents, plainRequests };
}
