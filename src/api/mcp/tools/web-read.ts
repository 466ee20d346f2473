import { z } from 'zod';
import { runJob } from '../run-job.ts';
import { defineTool, type MakeTool, maxTokens, offered, pageUrl } from '../tool.ts';

const operations = {
  markdown: 'web.convert-markdown',
  summary: 'web.summarize-url',
  links: 'web.scrape',
  metadata: 'web.scrape',
} as const;

const formats = { links: ['links'], metadata: ['metadata'] };

export const makeWebRead: MakeTool = (catalog) => {
  const wants = offered(catalog, operations);
  return (
    wants &&
    defineTool({
      name: 'web_read',
      title: 'Read a web page',
      description:
        'Reads one web page or document (HTML, PDF, Word, Excel, CSV) and answers its content. Use it whenever you need what a page says. A long page is answered in part; read on with result_read, which fetches nothing again.',
      input: z.strictObject({
        url: pageUrl,
        want: z
          .enum(wants)
          .default('markdown')
          .describe(
            'markdown: the content; summary: a short summary with quotes; links: all links; metadata: title, description, Open Graph and the like.',
          ),
        question: z
          .string()
          .min(1)
          .max(1_000)
          .optional()
          .describe(
            'What you want to know. Of markdown and links only the passages with its words are answered; a summary is made for it.',
          ),
        maxTokens: maxTokens(4_000),
      }),
      readOnly: true,
      openWorld: true,
      async run({ url, want, question, maxTokens: bound }, call) {
        if (want === 'markdown') {
          return await runJob(call, operations.markdown, { url }, { maxTokens: bound, find: question });
        }
        if (want === 'summary') {
          const request = { url, ...(question === undefined ? {} : { focus: question }) };
          return await runJob(call, operations.summary, request, { maxTokens: bound });
        }
        const find = want === 'links' ? question : undefined;
        return await runJob(
          call,
          operations[want],
          { url, formats: formats[want] },
          { maxTokens: bound, find },
        );
      },
    })
  );
};
