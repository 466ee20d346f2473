import { z } from 'zod';
import { runJob } from '../run-job.ts';
import { defineTool, type MakeTool, maxTokens, pageUrl } from '../tool.ts';

const operation = 'web.review';

export const makeWebReview: MakeTool = (catalog) => {
  if (catalog.findQueued(operation) === undefined) return null;
  return defineTool({
    name: 'web_review',
    title: 'Review a web page',
    description:
      'Measures a page: performance, accessibility, best practices, search engines, security, content. Answers scores, metrics and issues with how to mend them. It takes half a minute or more.',
    input: z.strictObject({ url: pageUrl, maxTokens: maxTokens(4_000) }),
    readOnly: true,
    openWorld: true,
    run: ({ url, maxTokens: bound }, call) => runJob(call, operation, { url }, { maxTokens: bound }),
  });
};
