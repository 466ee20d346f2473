import type { z } from 'zod';
import { renderPage } from '../../../shared/contracts/page/render.ts';
import { scrape } from '../../../shared/contracts/web/scrape.ts';
import type { OutputOf } from '../../../shared/operation.ts';
import { defineHandler, type JobContext } from '../../handler.ts';
import type { AnalyzedPage } from '../../page/analyze-page.ts';
import { defaultUserAgent, type FetchedPage, fetchPage } from '../../page/fetch-page.ts';
import type { WorkerTools } from '../../tools.ts';

type Input = z.output<typeof scrape.input>;
type Output = OutputOf<typeof scrape>;

interface ReadPage {
  page: FetchedPage;
  /** Null where the body is no HTML. */
  analyzed: AnalyzedPage | null;
}

async function read(input: Input, job: JobContext, tools: WorkerTools): Promise<ReadPage> {
  const { signal } = job;
  await using lease = tools.openLease({ signal, verifyTls: input.verifyTls });
  const page = await fetchPage(lease, {
    url: input.url,
    headers: input.headers ?? {},
    cookies: input.cookies ?? {},
    userAgent: input.userAgent ?? defaultUserAgent,
    timeoutMs: input.timeout,
    signal,
  });
  const { text: html, url, headers } = page;
  return {
    page,
    analyzed: page.isHtml ? await tools.pageReader.analyze({ html, url, headers }, signal) : null,
  };
}

function fromRead(input: Input, { page, analyzed }: ReadPage): Output {
  const { title = null, ...metadata } = analyzed?.metadata ?? {};
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

async function render(input: Input, job: JobContext, tools: WorkerTools): Promise<Output> {
  const { url, timeout, waitFor, headers, cookies, userAgent, verifyTls, formats } = input;
  const page = await job.call(renderPage, { url, timeout, waitFor, headers, cookies, userAgent, verifyTls });
  const text = { html: page.html, url: page.finalUrl, headers: page.headers };
  const { title: _title, ...metadata } = (await tools.pageReader.analyze(text, job.signal)).metadata;
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
  if (input.render === 'http') return fromRead(input, await read(input, job, tools));
  if (input.render === 'browser' || input.waitFor !== undefined) return await render(input, job, tools);
  let plain: ReadPage | undefined;
  const engine = await job.step('choose engine', async () => {
    plain = await read(input, job, tools);
    return plain.analyzed?.needsBrowser ? 'browser' : 'http';
  });
  if (engine === 'browser') return await render(input, job, tools);
  return fromRead(input, plain ?? (await read(input, job, tools)));
});
