import type { z } from 'zod';
import { renderPage } from '../../../shared/contracts/page/render.ts';
import { scrape } from '../../../shared/contracts/web/scrape.ts';
import type { OutputOf } from '../../../shared/operation.ts';
import { defineHandler, type JobContext } from '../../handler.ts';
import { defaultUserAgent, type FetchedPage, fetchPage } from '../../page/fetch-page.ts';
import { readMetadata } from '../../page/metadata.ts';
import { needsBrowser } from '../../page/needs-browser.ts';
import type { WorkerTools } from '../../tools.ts';

type Input = z.output<typeof scrape.input>;

function fetchPlainly(input: Input, job: JobContext, tools: WorkerTools): Promise<FetchedPage> {
  const lease = tools.openLease({ signal: job.signal, verifyTls: input.verifyTls });
  return fetchPage(lease, {
    url: input.url,
    headers: input.headers ?? {},
    cookies: input.cookies ?? {},
    userAgent: input.userAgent ?? defaultUserAgent,
    timeoutMs: input.timeout,
    signal: job.signal,
  }).finally(() => lease[Symbol.asyncDispose]());
}

function fromFetched(input: Input, page: FetchedPage): OutputOf<typeof scrape> {
  const { title = null, ...metadata } = page.isHtml ? readMetadata(page.text, page.url, page.headers) : {};
  return {
    url: input.url,
    finalUrl: page.url,
    statusCode: page.status,
    html: input.formats.includes('html') ? page.text : null,
    title,
    contentType: page.contentType,
    charset: page.charset,
    headers: page.headers,
    metadata: 'jsonLd' in metadata ? metadata : null,
    redirects: page.redirects,
    engine: 'http',
    bytes: page.sizeBytes,
    truncated: page.truncated,
  };
}

async function render(input: Input, job: JobContext): Promise<OutputOf<typeof scrape>> {
  const { url, timeout, waitFor, headers, cookies, userAgent, verifyTls, formats } = input;
  const page = await job.call(renderPage, { url, timeout, waitFor, headers, cookies, userAgent, verifyTls });
  const { title: _title, ...metadata } = readMetadata(page.html, page.finalUrl, page.headers);
  for (const { code, message } of page.warnings) job.warn(code, message);
  return {
    url,
    finalUrl: page.finalUrl,
    statusCode: page.statusCode,
    html: formats.includes('html') ? page.html : null,
    title: page.title,
    contentType: page.contentType,
    charset: null,
    headers: page.headers,
    metadata,
    redirects: page.redirects,
    engine: 'browser',
    bytes: page.bytes,
    truncated: page.truncated,
  };
}

export default defineHandler(scrape, async (input, job, tools) => {
  if (input.render === 'http') return fromFetched(input, await fetchPlainly(input, job, tools));
  if (input.render === 'browser' || input.waitFor !== undefined) return await render(input, job);
  let page: FetchedPage | undefined;
  const engine = await job.step('choose engine', async () => {
    page = await fetchPlainly(input, job, tools);
    return page.isHtml && needsBrowser(page.text) ? 'browser' : 'http';
  });
  if (engine === 'browser') return await render(input, job);
  return fromFetched(input, page ?? (await fetchPlainly(input, job, tools)));
});
