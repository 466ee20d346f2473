import { defineOperation } from '../../operation.ts';
import { extractedPage, extractOptions } from '../../schemas/extracted-page.ts';
import { pageOperation } from '../../schemas/page-operation.ts';

export const extract = defineOperation({
  id: 'web.extract',
  summary: 'Extract the content of a page',
  description:
    'Answers what a page is about: its text and HTML without menus, advertisements, comments and related links, its title, author, dates and images. Pages of every kind: articles, products, forums, documentation, lists, services. PDF, Word, Excel, CSV, JSON, markdown and plain text are read too; the type is recognised by the content.',
  ...pageOperation({ path: '/api/proxy/web/v1/extract', fields: extractOptions, extraMs: 20_000 }),
  output: extractedPage,
});
