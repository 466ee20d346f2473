import { RedirectCookies } from '../../../shared/egress/cookies.ts';
import { EgressError, refusedRedirect } from '../../../shared/egress/egress-error.ts';
import type { EgressLease } from '../../../shared/egress/types.ts';
import type { PageQuery } from '../../../shared/schemas/page-options.ts';
import { mayLeadElsewhere } from '../html/page-refresh.ts';
import { mostNavigations, navigationsStopped } from '../load/refresh.ts';
import type { PageCopy } from '../page-copy.ts';
import type { PageReader, Reading } from '../page-reader.ts';
import { firstByteMsOf } from '../first-byte.ts';
import { isDocument } from './body-kind.ts';
import { fetchPage } from './fetch-page.ts';

export interface PlainLoad {
  openLease(options: { signal: AbortSignal; verifyTls: boolean }): EgressLease;
  pageReader: Pick<PageReader, 'findRefresh' | 'decode'>;
}

/**
 * One load over plain HTTP, refreshes followed at once. With `render: auto` not those of a page with scripts, which may
 * lead elsewhere before, as some walls against robots do: such a page needs the browser.
 */
export async function loadPlain(query: PageQuery, tools: PlainLoad, reading: Reading): Promise<PageCopy> {
  const { signal } = reading;
  await using lease = tools.openLease({ signal, verifyTls: query.verifyTls });
  const endsAt = performance.now() + query.timeout;
  const firstByteTimeoutMs = firstByteMsOf(query.timeout);
  const cookieJar = new RedirectCookies();
  const redirects: PageCopy['redirects'] = [];
  let asked = query;
  for (let navigations = 0; ; navigations++) {
    const timeoutMs = navigations === 0 ? query.timeout : Math.max(1, Math.round(endsAt - performance.now()));
    const limits = { timeoutMs, firstByteTimeoutMs, cookieJar, signal };
    const load = loadOne(lease, { ...asked, ...limits }, tools, reading);
    const copy = await load.catch((error: unknown) => {
      const isLed = navigations > 0 && error instanceof EgressError && error.result === 'refused';
      throw isLed ? refusedRedirect(error) : error;
    });
    redirects.push(...copy.redirects);
    const next = await findNext(copy, query, tools, reading);
    if (next === null) return { ...copy, redirects };
    if (navigations >= mostNavigations) return { ...copy, redirects, warnings: [navigationsStopped] };
    redirects.push({ url: copy.finalUrl, status: copy.status ?? 0, location: next });
    asked = {
      ...withinOrigin(asked, [...copy.redirects.map(({ url }) => url), copy.finalUrl, next]),
      url: next,
    };
  }
}

type AskedOnce = Parameters<typeof fetchPage>[1];

async function loadOne(
  lease: EgressLease,
  asked: AskedOnce,
  { pageReader }: PlainLoad,
  reading: Reading,
): Promise<PageCopy> {
  const page = await fetchPage(lease, asked);
  const { url: finalUrl, status, headers, contentType, kind, body, redirects, truncated } = page;
  const common = {
    finalUrl,
    status,
    headers,
    contentType,
    kind,
    redirects,
    truncated,
    engine: 'http' as const,
    sizeBytes: body.length,
    title: null,
    warnings: [],
  };
  if (isDocument(kind)) return { ...common, charset: null, text: '', bytes: body };
  const textKind = kind === 'csv' ? 'text' : kind;
  const sent = { body, contentType: headers['content-type'] ?? '', kind: textKind };
  return { ...common, ...(await pageReader.decode(sent, reading)), bytes: null };
}

async function findNext(
  { kind, text, finalUrl: url, headers }: PageCopy,
  query: PageQuery,
  { pageReader }: PlainLoad,
  reading: Reading,
): Promise<string | null> {
  const page = { html: kind === 'html' ? text : '', url, headers };
  if (!mayLeadElsewhere(page)) return null;
  const { target, hasScripts } = await pageReader.findRefresh(page, reading);
  if (target === null || target.isSelf || (query.render !== 'http' && hasScripts)) return null;
  return target.url;
}

/** What is for the first origin only is dropped for good once a page has led to another. */
function withinOrigin(query: PageQuery, urls: readonly string[]): PageQuery {
  const origin = URL.parse(query.url)?.origin;
  const isWithin = urls.every((url) => URL.parse(url)?.origin === origin);
  return isWithin ? query : { ...query, headers: undefined, cookies: undefined };
}
