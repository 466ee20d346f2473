import type { Page } from 'puppeteer-core';

import { afterRedirect } from '../../../shared/egress/egress-error.ts';
import { hasCredentials, withCredentials } from '../../../shared/egress/target-url.ts';
import type { EgressLease } from '../../../shared/egress/types.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Warning } from '../../../shared/schemas/job.ts';
import type { RedirectHop } from '../../../shared/schemas/page-options.ts';
import { orAfter } from '../../browser/deadline.ts';
import { isolatedWorldOf } from '../../browser/isolated-world.ts';
import { firstByteMsOf } from '../first-byte.ts';
import type { AdFilter } from './ad-filter.ts';
import { explainErrorPage, explainFailure, findRefusal } from './load-failure.ts';
import { answersAtOnce, awaitState, calm, type PageState } from './page-state.ts';
import { netErrorToAppError } from './net-errors.ts';
import { listRedirects } from './redirects.ts';
import { RequestGate, type SinceTold } from './request-gate.ts';
import { requireElement, settle } from './settle.ts';
import { mostElements, SizeGuard, tooManyElements } from './size-guard.ts';
import { Traffic } from './traffic.ts';
import { checkSelector, parseWaitFor, type WaitFor } from './wait-for.ts';

export interface LoadOptions {
  /** http or https. */
  url: string;
  /** The page itself, in place of what is at `url`. Its origin is opaque, and `url` is no more than its name. */
  html?: string | undefined;
  /** `load`, `domcontentloaded`, `networkidle`, digits (milliseconds after load), else a CSS selector. */
  waitFor?: string;
  /** The whole of loading, from the first request on. */
  timeoutMs: number;
  /** From the first request to the first byte of an answer. Default: see `firstByteMsOf`. */
  firstByteTimeoutMs?: number;
  lease: EgressLease;
  /** What the lease turns away; a navigation there is done all the same. */
  adFilter?: AdFilter | undefined;
}

export interface LoadedPage {
  /** Of the document shown, as it was asked for: what scripts do to the address bar afterwards is not in it. */
  finalUrl: string;
  statusCode: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Of the document shown, as sent; null when the target names none. */
  contentType: string | null;
  /** Every step from the URL asked to `finalUrl`; one that a script or a meta refresh took has status 200. */
  redirects: RedirectHop[];
  title: string;
  warnings: Warning[];
  /** The document's body ended before its end. */
  truncated: boolean;
  /** False when the deadline came first; the page is then shown as far as it got. */
  settled: boolean;
  /** The document as it came, decoded. @returns null where the browser has it no more. */
  readSource: () => Promise<string | null>;
  /** What the page has done since this was told. */
  sinceTold: () => SinceTold;
}

/** Of the time limit, kept for reading a page that is still busy when it ends: a share of it, and at most. */
const readingShare = 0.05;
const mostReadingMs = 300;
/** The same of a document that keeps its page so busy, before all of it is there, that it answers late. */
const busyShare = 0.25;
const mostBusyMs = 1_000;
const busyMsOf = (timeoutMs: number): number => Math.min(mostBusyMs, timeoutMs * busyShare);

/** That Chromium opens. */
const longestUrl = 2 * 1024 * 1024;
const htmlType = 'text/html;charset=utf-8';

/** How much longer than its content a page may load by default: one image that hangs must not cost 30 s. */
const loadAfterContentMs = 10_000;

/**
 * Opens `url` in the page and waits as asked. A page that never finishes is answered as far as it got, with
 * the warning `page_never_settled`, at most a second after the deadline; the target's own 404 or 500 is a
 * result.
 * @throws AppError `target_timeout` (no answer), `page_unresponsive` (its script never ends),
 * `selector_not_found`, `unsupported_content` (a download), `invalid_request` (URL or selector), or the cause
 * why the target could not be reached.
 */
export async function loadPage(page: Page, options: LoadOptions): Promise<LoadedPage> {
  if (options.html === undefined) return await loadFrom(page, options);
  const source = await addressOf(page, options.html.toWellFormed());
  const loaded = await loadFrom(page, { ...options, url: source });
  return { ...loaded, finalUrl: loaded.finalUrl === source ? options.url : loaded.finalUrl };
}

/** A page of its own: in a data: URL, or where that would be too long, in a blob: URL of the blank page. */
async function addressOf(page: Page, html: string): Promise<string> {
  const source = `data:${htmlType};base64,${Buffer.from(html).toString('base64')}`;
  if (source.length <= longestUrl) return source;
  return await isolatedWorldOf(page).evaluate(
    (text, type) => URL.createObjectURL(new Blob([text], { type })),
    html,
    htmlType,
  );
}

async function loadFrom(page: Page, options: LoadOptions): Promise<LoadedPage> {
  const readingMs = Math.min(mostReadingMs, options.timeoutMs * readingShare);
  const end = performance.now() + options.timeoutMs - readingMs;
  const remainingMs = (): number => end - performance.now();
  const waitFor = parseWaitFor(options.waitFor);
  if (options.html === undefined && !/^https?:$/.test(new URL(options.url).protocol)) {
    throw new AppError('invalid_request', 'Only http and https pages can be opened.');
  }
  if (waitFor.kind === 'selector') await checkSelector(page, waitFor.selector, 'waitFor');

  using traffic = new Traffic(page);
  using guard = new SizeGuard(page, traffic, options.lease);
  const gate = await RequestGate.close(page, traffic, options.lease);
  const wait = { waitFor, remainingMs, gate };
  const loaded = await Promise.race([open(page, options, traffic, wait), guard.exceeded]);
  if (gate.warnings.length === 0) return loaded;
  // It would have gone on for ever.
  const unsettled = loaded.settled ? [neverSettled] : [];
  return { ...loaded, settled: false, warnings: [...loaded.warnings, ...unsettled, ...gate.warnings] };
}

interface Wait {
  waitFor: WaitFor;
  remainingMs: () => number;
  gate: RequestGate;
}

async function open(page: Page, options: LoadOptions, traffic: Traffic, wait: Wait): Promise<LoadedPage> {
  const { waitFor } = wait;
  const arrived = await arrivePastAds(page, options, traffic, wait);
  if (typeof arrived === 'string' && waitFor.kind === 'selector')
    await requireElement(page, waitFor.selector);
  const hasGone = await wait.gate.lock();
  const failure = explainErrorPage(traffic, options.lease);
  if (failure) throw failure;
  const response = traffic.documentResponse;
  if (response === null) throw options.lease.failureOf(options.url) ?? noAnswer(options.timeoutMs);
  const refusal = findRefusal(traffic, options.lease, response);
  if (refusal) throw refusal;
  const { settled, state } = await readContent(page, traffic, options, wait, hasGone ? 'gone' : arrived);
  if (state.elements > mostElements) throw tooManyElements(state.elements);
  const headers = response.headers();
  const redirects = listRedirects(traffic.documents, response.request());
  // Chromium goes there, though it sends them to nobody.
  if (
    [response.url(), ...redirects.map(({ location }) => location)]
      .map((href) => URL.parse(href))
      .some((url) => url !== null && hasCredentials(url))
  )
    throw afterRedirect(withCredentials());
  return {
    finalUrl: response.url(),
    statusCode: response.status(),
    headers,
    contentType: headers['content-type'] ?? null,
    redirects,
    title: state.title,
    warnings: [...(settled ? [] : [neverSettled]), ...(traffic.isDocumentCut ? [documentCut] : [])],
    truncated: traffic.isDocumentCut || !settled,
    settled,
    readSource: () => response.text().catch(() => null),
    sinceTold: () => wait.gate.sinceLock,
  };
}

/** A page that has led on, loads on, or has just gone elsewhere may show a document that has only begun: its content is awaited. */
async function readContent(
  page: Page,
  traffic: Traffic,
  { timeoutMs }: LoadOptions,
  { remainingMs }: Wait,
  arrived: PageState | 'busy' | 'deadline' | 'gone',
): Promise<{ settled: boolean; state: PageState }> {
  const isThere = typeof arrived === 'object';
  // What writes to itself, and never ends that, is loading for ever.
  const isBegun = (state: PageState) => state.isLoading && !traffic.hasContent;
  if (isThere && !isBegun(arrived)) return { settled: true, state: arrived };
  const capMs = remainingMs() - busyMsOf(timeoutMs);
  const state = arrived === 'deadline' ? null : await awaitState(page, (one) => !isBegun(one), capMs);
  if (state !== null && !isBegun(state) && arrived !== 'gone') return { settled: isThere, state };
  return { settled: false, state: await calm(page, remainingMs()) };
}

/** On the way to a page; Chromium follows as many redirects. */
const mostAds = 20;

/** A page that shows nothing but leads to an advertiser by a script or a refresh is a link through that host. */
async function arrivePastAds(
  page: Page,
  options: LoadOptions,
  traffic: Traffic,
  wait: Wait,
): Promise<PageState | 'busy' | 'deadline'> {
  const opened = new Set<string>();
  for (;;) {
    const reached = await navigatePastAds(page, options, traffic, wait, opened);
    const arrived =
      reached === 'loaded' ? await settle(page, traffic, wait.waitFor, wait.remainingMs) : reached;
    const host = wait.gate.advertiser;
    const leadsOn = typeof arrived === 'object' && arrived.showsLittle && host !== null;
    if (!leadsOn || opened.has(host) || opened.size >= mostAds) return arrived;
    options.adFilter?.exempt(host);
    opened.add(host);
    traffic.documents.length = 0;
  }
}

/** Links lead through advertisers' hosts too, and the page itself may be one: then that host is opened. */
async function navigatePastAds(
  page: Page,
  options: LoadOptions,
  traffic: Traffic,
  wait: Wait,
  opened: Set<string>,
): Promise<Reached> {
  const { adFilter, lease } = options;
  const turnedAway = (): string | null => {
    const host = URL.parse(traffic.documents.at(-1)?.url() ?? '')?.hostname ?? '';
    return adFilter !== undefined && lease.turnedAway.has(host) && !opened.has(host) ? host : null;
  };
  for (;;) {
    const reached = await navigate(page, options, wait, traffic).catch((error: unknown) => ({ error }));
    const host = turnedAway();
    if (host === null) {
      if (typeof reached === 'object') throw reached.error;
      return reached;
    }
    if (opened.size >= mostAds) throw netErrorToAppError('ERR_TOO_MANY_REDIRECTS');
    adFilter?.exempt(host);
    opened.add(host);
    traffic.documents.length = 0;
  }
}

type Reached = 'loaded' | 'busy' | 'deadline';

/** @returns `deadline` when the time is over, `busy` when the page has content but goes on loading. */
async function navigate(
  page: Page,
  options: LoadOptions,
  { waitFor, remainingMs, gate }: Wait,
  traffic: Traffic,
): Promise<Reached> {
  const waitUntil =
    waitFor.kind === 'domcontentloaded' || waitFor.kind === 'selector' ? 'domcontentloaded' : 'load';
  const content = new Promise<'content'>((resolve) =>
    page.once('domcontentloaded', () => resolve('content')),
  );
  gate.begin(/^https?:/.test(options.url));
  // Our own deadlines do better than Puppeteer's: at ours the page is still there to be read.
  const navigation = page.goto(options.url, { waitUntil, timeout: 0 }).then(
    () => 'loaded' as const,
    (error: unknown) => ({ error }),
  );
  const firstByteMs = Math.min(
    options.firstByteTimeoutMs ?? firstByteMsOf(options.timeoutMs),
    options.timeoutMs,
  );
  const answered = await orAfter(Promise.race([traffic.firstResponse, navigation]), firstByteMs, 'late');
  if (answered === 'late') throw options.lease.failureOf(options.url) ?? noAnswer(firstByteMs);

  const arrived = Promise.race([navigation, content]);
  if ((await orAfter(arrived, remainingMs() - busyMsOf(options.timeoutMs), null)) === null) {
    if (!(await answersAtOnce(page))) return 'deadline';
    if ((await orAfter(arrived, remainingMs(), null)) === null) return 'deadline';
  }
  const waitsToTheEnd = waitFor.kind !== 'default' || remainingMs() <= loadAfterContentMs;
  const outcome = await orAfter(
    navigation,
    waitsToTheEnd ? remainingMs() : loadAfterContentMs,
    waitsToTheEnd ? ('deadline' as const) : ('busy' as const),
  );
  if (typeof outcome !== 'object') return outcome;
  // Chromium reports an aborted navigation (a download, "no content") before the answer that caused it.
  if (String(outcome.error).includes('ERR_ABORTED')) await orAfter(traffic.firstResponse, 500, null);
  const failure = explainFailure(outcome.error, traffic, options);
  if (failure) throw failure;
  return 'loaded';
}

const documentCut: Warning = {
  code: 'page_truncated',
  message: 'The target ended its answer early; the page is shown as far as it came.',
};

const neverSettled: Warning = {
  code: 'page_never_settled',
  message: 'The page was still loading at the deadline; it is shown as far as it got.',
};

function noAnswer(timeoutMs: number): AppError {
  return new AppError('target_timeout', `The target sent no answer within ${timeoutMs / 1000} s.`);
}
