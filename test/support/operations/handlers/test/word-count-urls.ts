import { batchHandler } from '../../../../../src/workers/batch/batch-handler.ts';
import { wordCount } from '../../contracts/test/word-count.ts';
import { wordCountUrls } from '../../contracts/test/word-count-urls.ts';

export default batchHandler(wordCountUrls, wordCount);
