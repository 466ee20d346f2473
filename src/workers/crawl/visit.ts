import { crc32 } from 'node:zlib';
import { RedirectCookies } from '../../shared/egress/cookies.ts';
import { resolveLocation } from '../../shared/egress/redirects.ts';
import type { EgressLease, EgressResponse } from '../../shared/egress/types.ts';
import { AppError, type StoredError, toStoredError } from '../../shared/errors.ts';
import type { FoundLink } from '../page/html/page-links.ts';
import { mediaTypeOf } from '../page/fetch/fetch-page.ts';
import { firstByteMsOf } from '../page/first-byte.ts';
import { askWithRetries } from './busy-host.ts';
import { retryOverloaded } from './retry-overloaded.ts';
import { mayLeadOn } from '../page/load/refresh.ts';
import type { PageReader } from '../page/page-reader.ts';
import { withoutFragment } from '../addresses/without-fragment.ts';
import { type PageAddress, toPageAddress } from '../addresses/page-address.ts';
import { isPrivate } from '../page/fetch/cache-control.ts';

/** What a crawl keeps of one URL; JSON, because it is also the checkpoint. */
export interface Visit {
  /** That answered: the slash at the end, or https, may differ from what was asked. */
  at: string;
  status: number | null;
  type: string | null;
  title: string | null;
  /** Where it redirects to, if that is another page: by its status, or by a refresh that it has nothing else than. */
  redirect: string | null;
  canonical: string | null;
  follows: boolean;
  links: [url: string, anchor: string, rel: string, image?: true][];
  /** It has more links than are kept. */
  linksCut?: true;
  /** Of the body; null where it was not read. */
  digest: string | null;
  error: StoredError | null;
  /** The server calls the page private, or the page wants to be in no index. */
  isPrivate?: true;
}

export interface Visitor {
  /** Its signal ends the visits. */
  lease: EgressLease;
  pageReader: PageReader;
  headers: Record<string, string>;
  /** Sent to `origin` only. */
  origin: string;
  originHeaders: Record<string, string>;
  timeoutMs: number;
  /** The user whose crawl it is. */
  owner: string;
  signal: AbortSignal;
}

const maxBodyBytes = 10_000_000;
const maxLinks = 2_000;
/** Of the links of a page together. */
const maxLinkCharacters = 256_000;
/** A longer URL is followed by nobody. */
const longestUrl = 2_048;
const longestType = 200;
const maxSamePageRedirects = 5;

const nothing = {
  title: null,
  redirect: null,
  canonical: null,
  follows: true,
  links: [],
  digest: null,
  error: null,
};

/** A visit whose page is still to be read. */
export interface PageAnswer {
  visit: Visit;
  /** Null where there is nothing to read. */
  page: EgressResponse | null;
}

/** How a crawl asks for what a page leads to. */
export interface Manners {
  /** Makes each request at the host's pace. */
  take<T>(request: () => Promise<T>): Promise<T>;
  /** By robots.txt. */
  mayAsk(url: string): boolean | Promise<boolean>;
}

/**
 * Asks for a page. Redirects that only change the slash, the scheme or a session id are followed where they may be, and
 * once that of a server which wants its cookie back.
 */
export async function askPage(
  visitor: Visitor,
  { url, key }: PageAddress,
  { take, mayAsk }: Manners,
): Promise<PageAnswer> {
  const cookieJar = new RedirectCookies();
  let at = url;
  let isRepeated = false;
  for (let hops = 0; ; hops++) {
    const asked = at;
    const response = await take(async () => await fetchOne(visitor, asked, cookieJar)).catch(
      (error: unknown) => {
        visitor.signal.throwIfAborted();
        if (error instanceof AppError) return toStoredError(error);
        throw error;
      },
    );
    if ('code' in response)
      return { visit: { ...nothing, at, status: null, type: null, error: response }, page: null };
    const { status, headers } = response;
    const type = mediaTypeOf(headers)?.slice(0, longestType) ?? null;
    const visit = { ...nothing, at, status, type };
    const location = status >= 300 && status < 400 ? headers['location'] : undefined;
    const next = location ? resolveLocation(location, at) : null;
    if (next === null || next.href.length > longestUrl) {
      // An empty page may still lead elsewhere.
      const isPage = response.body.length > 0 || (isHtml(headers) && headers['refresh'] !== undefined);
      const page = isPage ? response : null;
      return { visit: { ...visit, ...(isPrivate(headers) ? { isPrivate: true as const } : {}) }, page };
    }
    const isSameUrl = next.href === at;
    const mayRepeat = !isSameUrl || (!isRepeated && headers['set-cookie'] !== undefined);
    const isSamePage = toPageAddress(next.href)?.key === key && mayRepeat;
    if (!isSamePage || hops >= maxSamePageRedirects || !(await mayAsk(next.href)))
      return { visit: { ...visit, redirect: next.href }, page: null };
    isRepeated ||= isSameUrl;
    at = next.href;
  }
}

const isHtml = (headers: Record<string, string>) => /html|^$/.test(mediaTypeOf(headers) ?? '');

async function fetchOne(visitor: Visitor, url: string, cookieJar: RedirectCookies): Promise<EgressResponse> {
  const { lease, headers, timeoutMs, signal } = visitor;
  const originHeaders = url.startsWith(`${visitor.origin}/`) ? visitor.originHeaders : {};
  return await askWithRetries(lease, {
    url,
    headers,
    originHeaders,
    signal,
    cookieJar,
    redirect: 'manual',
    timeoutMs,
    firstByteTimeoutMs: firstByteMsOf(timeoutMs),
    maxBodyBytes,
    readBody: (head) => (head.status < 300 || head.status >= 400) && isHtml(head.headers),
  });
}

/** What the page that was asked for says, and leads to. */
export async function readAnswer(visitor: Visitor, { visit, page }: PageAnswer): Promise<Visit> {
  if (page === null) return visit;
  try {
    return { ...visit, ...(await readLinks(visitor, page)) };
  } catch (error) {
    visitor.signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { ...visit, error: toStoredError(error) };
  }
}

async function readLinks(
  visitor: Visitor,
  page: EgressResponse,
): Promise<Omit<Visit, 'at' | 'status' | 'type' | 'error'>> {
  const { body, headers, status, url } = page;
  const sent = { body, contentType: headers['content-type'] ?? '', kind: 'html' as const };
  const { text: html, charset } = await retryOverloaded(
    async () => await visitor.pageReader.decode(sent, visitor),
    visitor.signal,
  );
  const { title, canonical, follows, noindex, refresh, links } = await retryOverloaded(
    async () => await visitor.pageReader.skim({ html, url, headers, charset }, visitor),
    visitor.signal,
  );
  const to = refresh === null || refresh.isSelf ? null : withoutFragment(refresh.url);
  const next = to === null || to.length > longestUrl || !mayLeadOn(status) ? null : to;
  const nextKey = next === null ? null : toPageAddress(next)?.key;
  const isRedirect =
    nextKey !== toPageAddress(url)?.key && links.every((link) => toPageAddress(link.url)?.key === nextKey);
  const isError = status >= 400;
  // A page of its own that goes on after a while is a page all the same.
  const ways = next === null || isRedirect ? links : [...links, { url: next, anchor: '', rel: '' }];
  return {
    redirect: isRedirect ? next : null,
    title: title && own(title),
    follows,
    ...(noindex ? { isPrivate: true } : {}),
    // An error page links like any other, but leads nowhere.
    canonical: !isError && canonical !== null && canonical.length <= longestUrl ? canonical : null,
    ...(isError ? { links: [] } : keptLinks(ways)),
    digest: body.length === 0 ? null : digestOf(body),
  };
}

/** Two pages of one length with the same sum are the same page, in all likelihood of one crawl. */
function digestOf(body: Buffer): string {
  return `${body.length}-${crc32(body)}`;
}

/** V8 makes a longer part of a text hold on to the whole of it, here the page; shorter ones it copies. */
const sharedFrom = 13;

function own(text: string): string {
  return text.length < sharedFrom ? text : Buffer.from(text).toString();
}

/** The first links of a page, as far as the bounds go. */
function keptLinks(found: readonly FoundLink[]): Pick<Visit, 'links' | 'linksCut'> {
  const usable = found.filter(({ url }) => url.length <= longestUrl);
  let characters = 0;
  const cut = usable.findIndex(({ url, anchor, rel }, index) => {
    characters += url.length + anchor.length + rel.length;
    return index >= maxLinks || characters > maxLinkCharacters;
  });
  if (cut === -1) return { links: usable.map(ownLink) };
  return { links: usable.slice(0, cut).map(ownLink), linksCut: true };
}

function ownLink({ url, anchor, rel, image = false }: FoundLink): Visit['links'][number] {
  return image ? [url, own(anchor), own(rel), true] : [url, own(anchor), own(rel)];
}
