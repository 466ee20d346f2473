import { renderPage } from '../../shared/contracts/page/render.ts';
import { isRedirect } from '../../shared/egress/redirects.ts';
import type { EgressLease, EgressLeaseOptions } from '../../shared/egress/types.ts';
import { AppError } from '../../shared/errors.ts';
import type { RequestOf } from '../../shared/operation.ts';
import type { CacheUse } from '../../shared/schemas/job.ts';
import type { PageQuery } from '../../shared/schemas/page-options.ts';
import type { JobContext } from '../handler.ts';
import type { LinkFeed } from '../link-index/link-feed.ts';
import type { AnalyzedPage, PageWishes } from './analyze-page.ts';
import { mayBePage } from './fetch/body-kind.ts';
import { isPrivate, mayBeKept } from './fetch/cache-control.ts';
import { loadPlain } from './fetch/load-plain.ts';
import { isStyled } from './html/xml-source.ts';
import type { ScriptTexts } from './engine/script-texts.ts';
import type { PageCopies, PageCopy } from './page-copy.ts';
import { type PageReader, type Reading, readingOf } from './page-reader.ts';
import { cacheKeyOf, fragmentOf, identityOf, isShareable } from './page-query.ts';
import type { SingleFlight } from './single-flight.ts';

export interface ObtainedPage {
  copy: PageCopy;
  /** Null where the body is no HTML. */
  analyzed: AnalyzedPage | null;
  cache: CacheUse;
}

/** What of a worker's tools loads and reads pages. */
export interface PageTools {
  openLease(options: EgressLeaseOptions): EgressLease;
  readonly pageReader: PageReader;
  readonly pageCopies: PageCopies;
  readonly pageLoads: SingleFlight<PageCopy>;
  readonly linkFeed: Pick<LinkFeed, 'wants' | 'add'>;
  readonly scriptTexts: ScriptTexts;
}

type Loaded = Omit<ObtainedPage, 'cache'>;

const maxKeptBytes = 8_000_000;

/** A page that was asked for without its fragment has the one that its client gave, unless a refresh has led on. */
function withFragment(copy: PageCopy, url: string): PageCopy {
  const isLed = copy.redirects.some(({ status }) => !isRedirect(status));
  if (!url.includes('#') || copy.engine === 'browser' || isLed || copy.finalUrl.includes('#')) return copy;
  return { ...copy, finalUrl: copy.finalUrl + (URL.parse(url)?.hash ?? '') };
}

/** XML that its style sheet makes a page of; feeds and sitemaps say what they say without. */
function isStyledXml({ kind, text }: PageCopy): boolean {
  const isFeed = /<(rss|feed|urlset|sitemapindex|rdf:rdf)[\s>]/i.test(text.slice(0, 4_000));
  return kind === 'xml' && isStyled(text) && !isFeed;
}

/** The same page that is being loaded for another request of the user is not loaded twice. */
async function loadShared(query: PageQuery, tools: PageTools, reading: Reading): Promise<PageCopy> {
  const { signal, owner } = reading;
  const { url } = query;
  const plain: PageQuery = { ...query, url: url.slice(0, url.length - fragmentOf(url).length) };
  if (!isShareable(plain)) return await loadPlain(plain, tools, reading);
  const key = `${owner} ${plain.timeout} ${identityOf(plain)}`;
  return await tools.pageLoads.join(key, signal, (shared) =>
    loadPlain(plain, tools, { signal: shared, owner }),
  );
}

/** The options that the browser knows: its operation refuses others. */
function toRenderRequest(query: PageQuery): RequestOf<typeof renderPage> {
  const known = Object.keys(renderPage.input.shape);
  const entries = Object.entries(query).filter(
    ([name, value]) => known.includes(name) && value !== undefined,
  );
  return Object.fromEntries(entries) as RequestOf<typeof renderPage>;
}

async function loadRendered(query: PageQuery, job: JobContext): Promise<PageCopy> {
  const page = await job.call(renderPage, toRenderRequest(query));
  return {
    finalUrl: page.finalUrl,
    status: page.statusCode,
    headers: page.headers,
    contentType: page.contentType,
    charset: page.charset,
    kind: page.kind,
    text: page.html,
    bytes: null,
    title: page.title,
    redirects: page.redirects,
    engine: 'browser',
    sizeBytes: page.bytes,
    truncated: page.truncated,
    warnings: page.warnings,
  };
}

async function analyze(
  copy: PageCopy,
  query: PageQuery,
  wishes: PageWishes,
  { pageReader }: PageTools,
  reading: Reading,
): Promise<Loaded> {
  if (copy.kind !== 'html') return { copy, analyzed: null };
  const { text: html, finalUrl: url, status, headers, engine, charset } = copy;
  const page = { html, url, requestedUrl: query.url, status, headers, engine, charset };
  return { copy, analyzed: await pageReader.analyze(page, reading, wishes) };
}

/** Of a page's time limit, for its scripts to be worth asking for. */
const leastScriptsMs = 1_000;

/** By its HTML, and where that does not tell, by the scripts of its own that it loads. */
async function needsBrowser(
  { copy, analyzed }: Loaded,
  query: PageQuery,
  tools: PageTools,
  reading: Reading,
  leftMs: number,
): Promise<boolean> {
  if (analyzed?.judgement === undefined) return false;
  const { need, scripts: addresses } = analyzed.judgement;
  if (need !== null) return true;
  if (addresses.length === 0 || (copy.status ?? 0) >= 400 || leftMs < leastScriptsMs) return false;
  await using lease = tools.openLease({ signal: reading.signal, verifyTls: query.verifyTls });
  const asked = { ...query, timeout: leftMs };
  const scripts = await tools.scriptTexts.fetch(lease, addresses, asked, reading.owner);
  const { text: html, headers } = copy;
  if (scripts.length === 0) return false;
  return await tools.pageReader.needsBrowser({ html, headers, scripts }, reading).catch((error: unknown) => {
    reading.signal.throwIfAborted();
    if (error instanceof AppError && error.code === 'target_too_large') return true;
    throw error;
  });
}

async function load(
  query: PageQuery,
  wishes: PageWishes,
  job: JobContext,
  tools: PageTools,
): Promise<Loaded> {
  const reading = readingOf(job);
  const start = performance.now();
  const leftMs = (): number => query.timeout - (performance.now() - start);
  const plain = async (asked: PageWishes) =>
    await analyze(await loadShared(query, tools, reading), query, asked, tools, reading);
  const rendered = async () => await analyze(await loadRendered(query, job), query, wishes, tools, reading);
  if (query.render === 'http') return await plain(wishes);
  if (query.render === 'browser' || query.waitFor !== undefined) return await rendered();
  // Written down only where it leads to a call: most pages need none, and a page that is read twice costs little.
  if (job.recall('engine') === 'browser') return await rendered();
  const read = await plain({ ...wishes, judgement: true });
  // What a browser would download it shows no better.
  if (!mayBePage(read.copy.contentType)) return read;
  if (!isStyledXml(read.copy) && !(await needsBrowser(read, query, tools, reading, leftMs()))) return read;
  await job.step('engine', async () => 'browser');
  return await rendered();
}

function isKeepable({ copy, analyzed }: Loaded): boolean {
  return (
    copy.status !== null &&
    copy.status < 400 &&
    copy.redirects.every(({ status }) => status < 400) &&
    !copy.truncated &&
    // It is not what the page shows as a rule, and would be answered as that for as long as a copy is.
    !copy.warnings.some(({ code }) => code === 'scripts_ended') &&
    analyzed?.blocked == null &&
    copy.text.length + (copy.bytes?.length ?? 0) <= maxKeptBytes &&
    mayBeKept(copy)
  );
}

/**
 * Loads a page as its query says: from the cache where a copy is young enough, over plain HTTP, or by the browser.
 * Calls another operation, so that side effects before it belong in a step.
 * @throws AppError the codes of a page load.
 */
export async function obtainPage(
  query: PageQuery,
  wishes: PageWishes,
  job: JobContext,
  tools: PageTools,
): Promise<ObtainedPage> {
  const shareable = isShareable(query);
  const key = { userId: job.userId, page: cacheKeyOf(query) };
  const asked = shareable && query.maxAge > 0;
  const found = asked ? await tools.pageCopies.find(key, query.maxAge) : null;
  if (found !== null) {
    const loaded = await analyze(found.copy, query, wishes, tools, readingOf(job));
    const copy = withFragment(loaded.copy, query.url);
    return { ...loaded, copy, cache: { state: 'hit', ageSeconds: Math.floor(found.ageMs / 1_000) } };
  }
  const isFed = shareable && query.store && tools.linkFeed.wants(query.url);
  const loaded = await load(query, { ...wishes, seen: isFed }, job, tools);
  const seen = loaded.analyzed?.seen ?? null;
  if (seen !== null && loaded.analyzed?.blocked === null && !isPrivate(loaded.copy.headers))
    tools.linkFeed.add(query.url, seen);
  if (shareable && query.store && isKeepable(loaded)) {
    const kept = tools.pageCopies.keep(key, loaded.copy);
    // Whoever uses the cache finds at the next request what this one brought; nobody else waits for it.
    if (asked) await kept;
  }
  const copy = withFragment(loaded.copy, query.url);
  return { ...loaded, copy, cache: { state: asked ? 'miss' : 'bypass', ageSeconds: null } };
}
