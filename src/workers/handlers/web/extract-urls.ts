import { extract } from '../../../shared/contracts/web/extract.ts';
import { extractUrls } from '../../../shared/contracts/web/extract-urls.ts';
import { batchHandler } from '../../batch/batch-handler.ts';

export default batchHandler(extractUrls, extract);
