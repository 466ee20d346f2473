import { scrape } from '../../../shared/contracts/web/scrape.ts';
import { defineHandler } from '../../handler.ts';
import { obtainPage } from '../../page/obtain-page.ts';
import { toPageQuery } from '../../page/page-query.ts';
import { checkSelectors } from '../../page/pick-elements.ts';

export default defineHandler(scrape, async (input, job, tools) => {
  const { url, formats, elements } = input;
  if (elements !== undefined) checkSelectors(elements);
  const wishes = { text: formats.includes('text'), links: formats.includes('links'), elements };
  const { copy, analyzed, cache } = await obtainPage(toPageQuery(input), wishes, job, tools);
  job.tellCache(cache);
  for (const { code, message } of [...copy.warnings, ...(analyzed?.notices ?? [])]) job.warn(code, message);
  const { title, ...metadata } = analyzed?.metadata ?? { title: null };
  const isPdf = copy.kind === 'pdf';
  return {
    url,
    finalUrl: copy.finalUrl,
    statusCode: copy.status,
    html: formats.includes('html') && !isPdf ? copy.text : null,
    title: copy.title ?? title,
    contentType: copy.contentType,
    charset: copy.charset,
    headers: copy.headers,
    metadata: 'jsonLd' in metadata ? metadata : null,
    ...(wishes.text || isPdf ? { text: analyzed?.text ?? copy.text } : {}),
    ...(wishes.links ? { links: analyzed?.links ?? [] } : {}),
    ...(elements === undefined ? {} : { elements: analyzed?.elements ?? elements.map(emptyPick) }),
    redirects: copy.redirects,
    engine: copy.engine,
    bytes: copy.sizeBytes,
    truncated: copy.truncated,
    blocked: analyzed?.blocked ?? null,
  };
});

function emptyPick({ selector, attr }: { selector: string; attr?: string | undefined }) {
  return { selector, attr: attr ?? null, count: 0, matches: [] };
}
