import { renderPage } from '../../shared/contracts/page/render.ts';
import type { RequestOf } from '../../shared/operation.ts';
import type { CacheUse } from '../../shared/schemas/job.ts';
import type { JobContext } from '../handler.ts';
import type { HttpTools } from '../tools/http.ts';
import type { AnalyzedPage, PageWishes } from './analyze-page.ts';
import { decodeText, findCharset } from './charset.ts';
import { fetchPage } from './fetch-page.ts';
import type { PageCopy } from './page-copy.ts';
import type { Reading } from './read-page.ts';
import { cacheKeyOf, fragmentOf, isShareable, type PageQuery } from './page-query.ts';

export interface ObtainedPage {
  copy: PageCopy;
  /** Null where the body is no HTML. */
  analyzed: AnalyzedPage | null;
  cache: CacheUse;
}

const readingOf = ({ signal, userId: owner }: JobContext): Reading => ({ signal, owner });

type Loaded = Omit<ObtainedPage, 'cache'>;

const noTextInPdf = 'The PDF has no text that can be read: its pages are pictures, such as scans, or empty.';
const maxKeptCharacters = 8_000_000;

/** A page that was asked for without its fragment has the one that its client gave. */
function withFragment(copy: PageCopy, url: string): PageCopy {
  if (copy.engine === 'browser' || copy.finalUrl.includes('#')) return copy;
  return { ...copy, finalUrl: copy.finalUrl + (URL.parse(url)?.hash ?? '') };
}

/** One load over plain HTTP, a PDF's text included. */
async function loadPlain(query: PageQuery, tools: HttpTools, reading: Reading): Promise<PageCopy> {
  const { signal } = reading;
  await using lease = tools.openLease({ signal, verifyTls: query.verifyTls });
  const page = await fetchPage(lease, { ...query, timeoutMs: query.timeout, signal });
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
  };
  if (kind === 'pdf') {
    const { title, text } = await tools.pageReader.readPdf(body, reading);
    const message = 'The target is a PDF: it has no HTML, and its text is in `text`.';
    const warnings = [{ code: 'pdf', message }];
    if (text === '') warnings.push({ code: 'pdf_without_text', message: noTextInPdf });
    return {
      ...common,
      charset: null,
      text,
      title,
      sizeBytes: body.length,
      warnings,
    };
  }
  const charset = findCharset(body, headers['content-type'] ?? '', kind);
  return {
    ...common,
    charset,
    text: decodeText(body, charset),
    title: null,
    sizeBytes: body.length,
    warnings: [],
  };
}

/** The same page that is being loaded for another client is not loaded twice. */
async function loadShared(query: PageQuery, tools: HttpTools, reading: Reading): Promise<PageCopy> {
  const { url } = query;
  const plain: PageQuery = {
    ...query,
    render: 'http',
    url: url.slice(0, url.length - fragmentOf(url).length),
  };
  if (!isShareable(plain)) return await loadPlain(plain, tools, reading);
  const key = `${plain.timeout} ${cacheKeyOf(plain).toString('base64')}`;
  return await tools.pageLoads.join(key, reading.signal, (signal) =>
    loadPlain(plain, tools, { ...reading, signal }),
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
    charset: null,
    kind: 'html',
    text: page.html,
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
  { pageReader }: HttpTools,
  reading: Reading,
): Promise<Loaded> {
  if (copy.kind !== 'html') return { copy, analyzed: null };
  const { text: html, finalUrl: url, status, headers } = copy;
  const page = { html, url, requestedUrl: query.url, status, headers };
  return { copy, analyzed: await pageReader.analyze(page, reading, wishes) };
}

async function load(
  query: PageQuery,
  wishes: PageWishes,
  job: JobContext,
  tools: HttpTools,
): Promise<Loaded> {
  const reading = readingOf(job);
  const plain = async () =>
    await analyze(await loadShared(query, tools, reading), query, wishes, tools, reading);
  const rendered = async () => await analyze(await loadRendered(query, job), query, wishes, tools, reading);
  if (query.render === 'http') return await plain();
  if (query.render === 'browser' || query.waitFor !== undefined) return await rendered();
  // Written down only where it leads to a call: most pages need none, and a page that is read twice costs little.
  if (job.recall('engine') === 'browser') return await rendered();
  const read = await plain();
  if (!read.analyzed?.needsBrowser) return read;
  await job.step('engine', async () => 'browser');
  return await rendered();
}

function isKeepable({ copy, analyzed }: Loaded): boolean {
  return (
    copy.status !== null &&
    copy.status < 400 &&
    !copy.truncated &&
    analyzed?.blocked == null &&
    copy.text.length <= maxKeptCharacters &&
    !/\bno-store\b/i.test(copy.headers['cache-control'] ?? '')
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
  tools: HttpTools,
): Promise<ObtainedPage> {
  const shareable = isShareable(query);
  const key = cacheKeyOf(query);
  const asked = shareable && query.maxAge > 0;
  const found = asked ? await tools.pageCopies.find(key, query.maxAge) : null;
  if (found !== null) {
    const loaded = await analyze(found.copy, query, wishes, tools, readingOf(job));
    const copy = withFragment(loaded.copy, query.url);
    return { ...loaded, copy, cache: { state: 'hit', ageSeconds: Math.floor(found.ageMs / 1_000) } };
  }
  const loaded = await load(query, wishes, job, tools);
  if (shareable && isKeepable(loaded)) {
    const kept = tools.pageCopies.keep(key, loaded.copy);
    // Whoever uses the cache finds at the next request what this one brought; nobody else waits for it.
    if (asked) await kept;
  }
  const copy = withFragment(loaded.copy, query.url);
  return { ...loaded, copy, cache: { state: asked ? 'miss' : 'bypass', ageSeconds: null } };
}
