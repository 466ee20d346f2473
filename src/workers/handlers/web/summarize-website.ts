import { scrapeLinksMap } from '../../../shared/contracts/web/scrape-links-map.ts';
import { summarizeUrl } from '../../../shared/contracts/web/summarize-url.ts';
import { summarizeWebsite } from '../../../shared/contracts/web/summarize-website.ts';
import { AppError, fromStoredError } from '../../../shared/errors.ts';
import { addUsage, noTokens } from '../../ai/model.ts';
import { type CallResult, defineHandler } from '../../handler.ts';
import { choosePages } from '../../summarize/choose-pages.ts';
import { createSummaryTools, writeOrExtract } from '../../summarize/job-tools.ts';
import { summarizeSite } from '../../summarize/summarize-several.ts';

/** As the map has read it, where it could not be summarised. */
const titleOfRoot = (nodes: readonly { depth: number | null; title: string | null }[]): string | null =>
  nodes.find(({ depth }) => depth === 0)?.title ?? null;

/** Pages that are summarised at a time; the progress is told between. */
const pagesAtOnce = 5;
/** Pages that are looked at for each that is summarised: some are none, or closed. */
const lookedAtEach = 2;

export default defineHandler(summarizeWebsite, async (input, job, tools) => {
  const { url, depth, maxPages, model: modelId, language, focus, ...page } = input;
  const model = await tools.models.get(modelId, job.userId);
  const { render, maxAge, ...crawling } = page;
  const limit = lookedAtEach * maxPages + 5;
  const map = await job.call(scrapeLinksMap, { url, depth, limit, ...crawling });
  const { pages, skipped } = choosePages(map.nodes, map, maxPages);
  if (pages.length === 0) {
    const [first] = skipped;
    const where = first?.reason.startsWith('http_3')
      ? ', a redirect to another site or to what robots.txt closes'
      : '';
    const detail = `No page of the site can be read${first === undefined ? '' : ` (${first.url}: ${first.reason}${where})`}. Ask for another URL.`;
    throw new AppError('unsupported_content', detail);
  }
  if (map.truncated) {
    const message = `The site has more than was looked at: with \`maxPages\` ${maxPages} up to ${limit} pages are, as far as time and the bounds of links allow. Of the others those that links or sitemaps named are among \`skipped\`, 1,000 at most.`;
    job.warn('pages_left_out', message);
  }
  const wishes = { model: model.id, length: 'short', language, focus } as const;
  const results: CallResult<typeof summarizeUrl>[] = [];
  for (let start = 0; start < pages.length; start += pagesAtOnce) {
    await job.progress(start, pages.length + 1, 'summarising pages');
    const next = pages.slice(start, start + pagesAtOnce);
    results.push(
      ...(await job.callAll(
        summarizeUrl,
        next.map((each) => ({ url: each.url, ...page, render, maxAge, ...wishes })),
      )),
    );
  }
  await job.progress(pages.length, pages.length + 1, 'summarising the site');

  const summarized = results.flatMap((result) => (result.ok ? result.output : []));
  const [failure] = results.flatMap((result) => (result.ok ? [] : result.error));
  if (summarized.length === 0 && failure !== undefined) throw fromStoredError(failure);
  const rootAt = pages.findIndex(({ depth: hops }) => hops === 0);
  const root = results[rootAt];
  const title = (root?.ok === true ? root.output.title : null) ?? titleOfRoot(map.nodes);
  const ofSite = { length: 'medium', language: language ?? null, focus: focus ?? null } as const;
  const { by, written, lost } = await writeOrExtract(job, model, 'the summary of the site', (one) =>
    summarizeSite(one, { title, pages: summarized, wishes: ofSite }, createSummaryTools(job, tools.tasks)),
  );
  const { usage, ...said } = written;
  const spent = [...summarized.map((each) => each.usage), by === model ? usage : lost];
  return {
    site: { url: map.root, title, ...said },
    pages: pages.map((found, index) => {
      const result = results[index];
      const { url: address, depth: hops } = found;
      if (result?.ok === true) {
        const { title: own, summary } = result.output;
        const { warnings } = result;
        return {
          url: address,
          depth: hops,
          title: own,
          summary,
          ...(warnings.length > 0 && { warnings: [...warnings] }),
        };
      }
      return {
        url: address,
        depth: hops,
        title: found.title,
        summary: null,
        ...(result && { error: result.error.code }),
      };
    }),
    skipped,
    model: model.id,
    usage: spent.reduce(addUsage, noTokens),
  };
});
