import { convertMarkdown } from '../../../shared/contracts/web/convert-markdown.ts';
import { convertMarkdownUrls } from '../../../shared/contracts/web/convert-markdown-urls.ts';
import { batchHandler } from '../../batch/batch-handler.ts';

export default batchHandler(convertMarkdownUrls, convertMarkdown);
