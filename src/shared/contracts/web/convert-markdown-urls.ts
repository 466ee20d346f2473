import { defineOperation } from '../../operation.ts';
import { batchOf } from '../../schemas/page-operation.ts';
import { convertMarkdown } from './convert-markdown.ts';

export const convertMarkdownUrls = defineOperation({
  id: 'web.convert-markdown-urls',
  summary: 'Convert many pages to markdown',
  description:
    'The same as `/convert/markdown`, for up to 100 URLs with the same options. A URL that fails is an entry with its error.',
  ...batchOf(convertMarkdown, { path: '/api/proxy/web/v1/convert/markdown/urls' }),
});
