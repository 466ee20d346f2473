import { defineOperation } from '../../operation.ts';
import { markdownOptions, markdownPage } from '../../schemas/markdown-page.ts';
import { pageOperation } from '../../schemas/page-operation.ts';

export const convertMarkdown = defineOperation({
  id: 'web.convert-markdown',
  summary: 'Convert a page to markdown',
  description:
    'Answers the content of a page or document as markdown: headings, nested lists, tables, code with its language, images, quotes, footnotes and formulas, with absolute links. `Accept: text/markdown` answers the markdown alone.',
  ...pageOperation({ path: '/api/proxy/web/v1/convert/markdown', fields: markdownOptions, extraMs: 30_000 }),
  output: markdownPage,
  representations: { 'text/markdown': { text: (data) => data.markdown } },
});
