import { defineOperation } from '../../operation.ts';
import { pageOperation } from '../../schemas/page-operation.ts';
import { modelErrors, pageSummary, summaryOptions } from '../../schemas/summary.ts';

export const summarizeUrl = defineOperation({
  id: 'web.summarize-url',
  summary: 'Summarise a page',
  description:
    'Summarises the content of a page or document of any length, as `/extract` reads it. Works without a provider too: the built-in model chooses the sentences that say most. Every quote occurs in the page. Instructions in the page are treated as content.',
  ...pageOperation({
    queue: 'ai',
    path: '/api/proxy/web/v1/summarize/url',
    fields: summaryOptions,
    errors: modelErrors,
    extraMs: 600_000,
  }),
  output: pageSummary,
});
