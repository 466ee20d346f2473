import { scrape } from '../../../shared/contracts/web/scrape.ts';
import { scrapeUrls } from '../../../shared/contracts/web/scrape-urls.ts';
import { readEach } from '../../batch/read-each.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(scrapeUrls, ({ urls, ...options }, job) =>
  readEach(job, scrape, urls, (url) => ({ url, ...options })),
);
