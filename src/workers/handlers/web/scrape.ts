import { scrape } from '../../../shared/contracts/web/scrape.ts';
import { defineHandler, type JobContext } from '../../handler.ts';
import { readingOf } from '../../page/page-reader.ts';
import type { PageReader } from '../../page/page-reader.ts';
import { readPage, type ReadPage } from '../../page/read-page.ts';
import { pdfWithoutText } from '../../page/fetch/pdf-without-text.ts';
import type { PdfText } from '../../page/fetch/read-pdf.ts';

export default defineHandler(scrape, async (input, job, tools) => {
  const { url, formats, elements } = input;
  if (elements !== undefined) await tools.pageReader.checkSelectors(elements, readingOf(job));
  const wishes = { text: formats.includes('text'), links: formats.includes('links'), elements };
  const page = await readPage(input, job, tools, {
    accepts: ['html', 'xml', 'text', 'csv', 'pdf'],
    tellsBlocked: true,
    wishes,
  });
  const pdf = page.kind === 'pdf' ? await readPdf(page, job, tools.pageReader) : null;
  const { analyzed } = page;
  return {
    url,
    finalUrl: page.finalUrl,
    statusCode: page.status,
    html: formats.includes('html') && pdf === null ? page.text : null,
    title: page.title ?? pdf?.title ?? null,
    contentType: page.contentType,
    charset: page.charset,
    headers: page.headers,
    metadata: analyzed?.metadata ?? null,
    ...(wishes.text || pdf !== null ? { text: pdf?.text ?? analyzed?.text ?? page.text } : {}),
    ...(wishes.links ? { links: analyzed?.links ?? [] } : {}),
    ...(elements === undefined ? {} : { elements: analyzed?.elements ?? elements.map(emptyPick) }),
    redirects: page.redirects,
    engine: page.engine,
    bytes: page.sizeBytes,
    truncated: page.truncated,
    blocked: page.blocked,
  };
});

async function readPdf({ bytes }: ReadPage, job: JobContext, reader: PageReader): Promise<PdfText> {
  const pdf = await reader.readPdf(bytes ?? Buffer.alloc(0), readingOf(job));
  job.warn('pdf', 'The target is a PDF: it has no HTML, and its text is in `text`.');
  if (pdf.text === '') job.warn(pdfWithoutText.code, pdfWithoutText.message);
  return pdf;
}

function emptyPick({ selector, attr }: { selector: string; attr?: string | undefined }) {
  return { selector, attr: attr ?? null, count: 0, matches: [] };
}
