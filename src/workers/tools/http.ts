import { createPageCache } from '../cache/page-cache.ts';
import { type CrawlStores, createCrawlStores } from '../crawl/crawl-stores.ts';
import { createLinkFeed, type LinkFeed } from '../link-index/link-feed.ts';
import type { PageCopies, PageCopy } from '../page/page-copy.ts';
import { createPageReader, type PageReader } from '../page/page-reader.ts';
import { ScriptTexts } from '../page/engine/script-texts.ts';
import { createSingleFlight, type SingleFlight } from '../page/single-flight.ts';
import type { JobTools, ToolsContext } from './context.ts';

export interface HttpTools extends JobTools {
  readonly pageReader: PageReader;
  readonly crawls: CrawlStores;
  readonly linkFeed: LinkFeed;
  readonly pageCopies: PageCopies;
  readonly pageLoads: SingleFlight<PageCopy>;
  readonly scriptTexts: ScriptTexts;
}

export function createHttpTools({ config, db, redis, log, lifetime, jobTools }: ToolsContext): HttpTools {
  return {
    ...jobTools,
    pageReader: createPageReader(jobTools.tasks),
    crawls: lifetime.use(
      createCrawlStores({
        db,
        redis,
        log,
        perHost: config.CRAWL_HOST_CONCURRENCY,
        feedsLinkIndex: config.LINK_INDEX,
      }),
    ),
    linkFeed: lifetime.use(createLinkFeed({ db, log, isOn: config.LINK_INDEX })),
    pageCopies: lifetime.use(
      createPageCache({
        db,
        log,
        maxBytes: config.PAGE_CACHE_MB * 1_048_576,
        isShared: config.PAGE_CACHE_SHARED,
      }),
    ),
    pageLoads: createSingleFlight(),
    scriptTexts: new ScriptTexts(),
  };
}
