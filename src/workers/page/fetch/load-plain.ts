import { RedirectCookies } from '../../../shared/egress/cookies.ts';
import type { EgressLease } from '../../../shared/egress/types.ts';
import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import type { Warning } from '../../../shared/schemas/job.ts';
import type { PageQuery } from '../../../shared/schemas/page-options.ts';
import { mayLeadElsewhere } from '../html/page-refresh.ts';
import { mayLeadOn, mostNavigations, navigationsStopped } from '../load/refresh.ts';
import type { PageCopy } from '../page-copy.ts';
import type { PageReader, Reading } from '../page-reader.ts';
import { firstByteMsOf } from '../first-byte.ts';
import { isDocument } from './body-kind.ts';
import { fetchPage } from './fetch-page.ts';

export interface PlainLoad {
  openLease(options: { signal: AbortSignal; verifyTls: boolean }): EgressLease;
  pageReader: Pick<PageReader, 'findRefresh' | 'decode'>;
}

/** Of where a page leads: no page, in a browser either, which stays where it is. */
const stays: ReadonlySet<ErrorCode> = new Set(['unsupported_content', 'target_too_large', 'target_timeout']);

const ledToNothing: Warning = {
  code: 'page_never_settled',
  message: 'The page leads to another one, which did not come in time; it is shown itself.',
};

/**
 * One load over plain HTTP, refreshes followed at once. With `render: auto` not those of a page with scripts, which may
 * lead elsewhere before, as some walls against robots do: such a page needs the browser.
 */
export async function loadPlain(query: PageQuery, tools: PlainLoad, reading: Reading): Promise<PageCopy> {
  const { signal } = reading;
  await using lease = tools.openLease({ signal, verifyTls: query.verifyTls });
  const endsAt = performance.now() + query.timeout;
  const limits = {
    timeoutMs: query.timeout,
    firstByteTimeoutMs: firstByteMsOf(query.timeout),
    cookieJar: new RedirectCookies(),
    signal,
  };
  let asked = query;
  let page = await loadOne(lease, { ...asked, ...limits }, tools, reading);
  let { redirects } = page;
  for (let navigations = 0; ; navigations++) {
    const next = await findNext(page, query, tools, reading);
    const here = { ...page, redirects };
    if (next === null) return here;
    if (navigations >= mostNavigations) return { ...here, warnings: [navigationsStopped] };
    const inVain = { ...here, truncated: true, warnings: [ledToNothing] };
    const timeoutMs = Math.ceil(endsAt - performance.now());
    if (timeoutMs < 1) return inVain;
    const hop = { url: page.finalUrl, status: page.status ?? 0, location: next };
    const urls = [...page.redirects.map(({ url }) => url), page.finalUrl, next];
    asked = { ...withinOrigin(asked, urls), url: next };
    const goneOn = { ...asked, ...limits, timeoutMs, isRedirected: true, pagesOnly: true };
    const led = loadOne(lease, goneOn, tools, reading);
    const copy = await led.catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof AppError && stays.has(error.code)) return error.code;
      throw error;
    });
    if (typeof copy === 'string') return copy === 'target_timeout' ? inVain : here;
    redirects = [...redirects, hop, ...copy.redirects];
    page = copy;
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
  { kind, text, finalUrl: url, status, headers, charset }: PageCopy,
  query: PageQuery,
  { pageReader }: PlainLoad,
  reading: Reading,
): Promise<string | null> {
  const page = { html: kind === 'html' ? text : '', url, headers, charset };
  if (!mayLeadOn(status ?? 0) || !mayLeadElsewhere(page)) return null;
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
