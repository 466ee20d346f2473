import { scrape } from '../../../shared/contracts/web/scrape.ts';
import { scrapeUrls } from '../../../shared/contracts/web/scrape-urls.ts';
import { batchHandler } from '../../batch/batch-handler.ts';

export default batchHandler(scrapeUrls, scrape);
