import { scrapeLinksMap } from '../../../shared/contracts/web/scrape-links-map.ts';
import { crawlSite } from '../../crawl/crawl-site.ts';
import { createUrlFilter } from '../../crawl/glob.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(scrapeLinksMap, async (input, job, tools) => {
  const { url: root, depth, limit, sameDomain, sitemap, respectRobots, timeout: timeoutMs } = input;
  const wants = createUrlFilter(input.include, input.exclude ?? []);
  const plan = { root, depth, limit, sameDomain, sitemap, respectRobots, wants };
  const { trapsRefused, pagesCut, movedTo, ...map } = await crawlSite(
    { ...input, plan, timeoutMs },
    job,
    tools,
  );
  if (trapsRefused > 0) {
    const message = `${trapsRefused} URLs look like places without end (calendars, endless paths, parameters in all combinations) and were left out.`;
    job.warn('traps_skipped', message);
  }
  if (pagesCut > 0) {
    const message = `${pagesCut} pages have more links than are kept (2,000 of a page, and some 200 MB of all pages): links of theirs, and pages behind those, may be missing.`;
    job.warn('links_cut', message);
  }
  if (movedTo !== null) {
    const message = sameDomain
      ? `The URL redirects to another site, ${movedTo}, which is not mapped in its place. Ask for that URL, or set \`sameDomain\` to false.`
      : `The URL redirects to another site, ${movedTo}; the map begins there.`;
    job.warn('redirected_elsewhere', message);
  }
  return map;
});
