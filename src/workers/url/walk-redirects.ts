import { createHash } from 'node:crypto';
import { RedirectCookies } from '../../shared/egress/cookies.ts';
import { EgressError, type ReachedIn } from '../../shared/egress/egress-error.ts';
import { isRedirect, resolveLocation } from '../../shared/egress/redirects.ts';
import { hasCredentials } from '../../shared/egress/target-url.ts';
import type { EgressLease, EgressRequest, EgressResponse } from '../../shared/egress/types.ts';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import { pageHeadersOf } from '../page/fetch/fetch-page.ts';
import type { AskedPage } from '../page/page-request.ts';

/** A head is enough; the rest of a long page is not waited for. */
const maxReadBytes = 5_000_000;
/** And what comes in this time; a target that has sent its headers has answered. */
const leastBodyMs = 5_000;
/** Where a body may lead on: half of the time that is left, and no longer than this. */
const bodyShare = 0.5;
const mostBodyMs = 10_000;

export interface Hop {
  /** The URL that redirected. */
  url: string;
  status: number;
  kind: 'http' | 'meta';
  ms: number;
}

export interface AskedWalk {
  url: string;
  maxRedirects: number;
  headers: Record<string, string>;
  /** Sent to the origin of `url` only. */
  originHeaders: Record<string, string>;
  /** By `performance.now()`. */
  endsAt: number;
  signal: AbortSignal;
}

export interface WalkRequest extends AskedWalk {
  method: 'HEAD' | 'GET';
  readBody: (head: { status: number; headers: Record<string, string> }) => boolean;
  /** Bodies may lead on: they are waited for longer. */
  waitsForBody?: boolean;
  /** Where the body of an answer leads on, e.g. by a meta refresh. */
  nextInBody?: (response: EgressResponse) => Promise<string | null>;
}

export interface Walk {
  hops: Hop[];
  /** The last URL that was asked; in a loop the one that was met again. */
  finalUrl: string;
  /** The final answer; null where it did not come. In a loop: the answer that closed it. */
  response: EgressResponse | null;
  loop: boolean;
  /** Why the final URL did not answer. */
  failure: AppError | null;
  timings: {
    dnsMs: number | null;
    connectMs: number | null;
    tlsMs: number | null;
    firstByteMs: number | null;
    /** From the beginning to the headers of the last answer, without the bodies of others. */
    answersMs: number;
  };
}

/** What a client may say about a walk. */
export interface UrlQuestion extends AskedPage {
  url: string;
  maxRedirects: number;
  /** Milliseconds, for the whole walk. */
  timeout: number;
}

/** The part of a walk that is the client's own. */
export function toWalkRequest(question: UrlQuestion, signal: AbortSignal): AskedWalk {
  const { url, maxRedirects, timeout } = question;
  return { url, maxRedirects, ...pageHeadersOf(question), endsAt: performance.now() + timeout, signal };
}

/** Without a user name or password, which a `Location` may have: no answer shows them. */
function withoutCredentials(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !hasCredentials(parsed)) return url;
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}

const ownFailures: ReadonlySet<ErrorCode> = new Set([
  'url_not_allowed',
  'invalid_request',
  'egress_proxy_failed',
]);

/** The rules of the door and a failed proxy are the request's failure, not the target's. */
export function isRefusal({ failure }: Walk): boolean {
  return failure !== null && ownFailures.has(failure.code);
}

/** A redirect led to what is not asked: to an app, a mail program, or with credentials, which are sent to nobody. */
export function leadsOffWeb({ failure, hops }: Walk): boolean {
  return failure instanceof EgressError && failure.result === 'refused' && hops.length > 0;
}

function locationOf({ status, headers, url }: EgressResponse): string | null {
  const location = headers['location'];
  if (!location || !isRedirect(status)) return null;
  return resolveLocation(location, url)?.href ?? null;
}

function addTimings(
  timings: Walk['timings'],
  { dnsMs, connectMs, tlsMs }: ReachedIn,
  firstByteMs: number | null,
): void {
  if (dnsMs !== null) timings.dnsMs = (timings.dnsMs ?? 0) + dnsMs;
  if (connectMs !== null) timings.connectMs = (timings.connectMs ?? 0) + connectMs;
  if (tlsMs !== null) timings.tlsMs = (timings.tlsMs ?? 0) + tlsMs;
  timings.firstByteMs = firstByteMs;
}

/** An answer whose body cannot be decoded is an answer all the same: it is asked for again, without its body. */
async function fetchHead(lease: EgressLease, request: EgressRequest): Promise<EgressResponse> {
  try {
    return await lease.fetch(request);
  } catch (error) {
    const isRefused = error instanceof EgressError && error.result === 'refused';
    if (!(error instanceof AppError) || error.code !== 'target_protocol_error' || isRefused) throw error;
    return await lease.fetch({ ...request, readBody: () => false });
  }
}

/** Follows redirects one by one, so that each is seen; cookies that they set go along, as in a browser. */
export async function walkRedirects(lease: EgressLease, request: WalkRequest): Promise<Walk> {
  const { signal, maxRedirects, readBody } = request;
  const hops: Hop[] = [];
  const timings: Walk['timings'] = {
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    answersMs: 0,
  };
  const cookies = new RedirectCookies();
  const seen = new Set<string>();
  /** Where it first came back to what it had asked. Some servers answer otherwise the second time, so that it goes round once more. */
  let met: (Pick<Walk, 'response' | 'timings'> & { state: string; url: string; hops: number }) | null = null;
  let url = URL.parse(request.url)?.href ?? request.url;
  let { originHeaders } = request;
  let response: EgressResponse | null = null;
  const walk = (rest: Pick<Walk, 'loop' | 'failure'>): Walk => ({
    hops,
    finalUrl: withoutCredentials(url),
    response,
    timings,
    ...rest,
  });
  const walkOf = (loop: NonNullable<typeof met>): Walk => {
    ({ url, response } = loop);
    hops.length = loop.hops;
    return { ...walk({ loop: true, failure: null }), timings: loop.timings };
  };

  for (;;) {
    const sent = URL.parse(url);
    const { cookie: own, ...others } = originHeaders;
    const cookie = sent === null ? null : cookies.headerFor(sent, own);
    const state = createHash('sha256')
      .update(`${url} ${cookie ?? ''}`)
      .digest('base64');
    if (seen.has(state)) {
      const isRoundAgain = met?.state === state;
      met ??= { state, url, hops: hops.length, response, timings: { ...timings } };
      if (isRoundAgain || hops.length >= maxRedirects) return walkOf(met);
    } else met = null;
    seen.add(state);
    const startedAt = performance.now();
    const leftMs = Math.max(1, Math.round(request.endsAt - performance.now()));
    response = null;
    try {
      response = await fetchHead(lease, {
        // The client's own text is judged as it is.
        url: hops.length === 0 ? request.url : url,
        isRedirected: hops.length > 0,
        method: request.method,
        headers: request.headers,
        originHeaders: { ...others, ...(cookie !== null && { cookie }) },
        redirect: 'manual',
        timeoutMs: leftMs,
        firstByteTimeoutMs: leftMs,
        bodyTimeoutMs: request.waitsForBody
          ? Math.max(leastBodyMs, Math.min(mostBodyMs, leftMs * bodyShare))
          : leastBodyMs,
        maxBodyBytes: maxReadBytes,
        cutsBody: true,
        readBody,
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      if (error instanceof EgressError) addTimings(timings, error.reached, null);
      if (met !== null) return walkOf(met);
      return walk({ loop: false, failure: error });
    }
    addTimings(timings, response.timings, response.timings.firstByteMs);
    timings.answersMs += response.timings.headMs;
    cookies.store(new URL(response.url), response.headers['set-cookie']?.split('\n') ?? []);
    const byHttp = locationOf(response);
    const next = byHttp ?? (await request.nextInBody?.(response)) ?? null;
    if (next === null) return walk({ loop: false, failure: null });
    if (hops.length >= maxRedirects) {
      const detail = `The target redirected more than ${maxRedirects} times; the last URL was ${url.slice(0, 500)}.`;
      return walk({ loop: false, failure: new AppError('too_many_redirects', detail) });
    }
    const kind = byHttp === null ? 'meta' : 'http';
    const tookMs = kind === 'http' ? response.timings.headMs : performance.now() - startedAt;
    hops.push({ url: response.url, status: response.status, kind, ms: Math.round(tookMs * 10) / 10 });
    const to = new URL(next);
    if (to.origin !== new URL(response.url).origin) originHeaders = {};
    // A refresh leads to its address as it is; a `Location` takes the fragment along (RFC 9110, section 10.2.2).
    if (byHttp !== null && to.hash === '' && to.protocol.startsWith('http')) to.hash = new URL(url).hash;
    url = to.href;
  }
}
