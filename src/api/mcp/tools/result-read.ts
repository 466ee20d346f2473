import { z } from 'zod';
import { findOwnJob } from '../../own-job.ts';
import { answerJob } from '../run-job.ts';
import { checkScope } from '../../http/key-rights.ts';
import { defineTool, type MakeTool, maxTokens } from '../tool.ts';

export const makeResultRead: MakeTool = () =>
  defineTool({
    name: 'result_read',
    title: 'Read on in a result',
    description:
      'Reads on in a result that another tool has answered in part. It fetches nothing and costs nothing. Give one of section, find and cursor; without any it begins at the beginning.',
    input: z
      .strictObject({
        resultId: z.string().min(1).max(100).describe('The id of the result, as its answer named it.'),
        section: z.string().min(1).max(300).optional().describe('The title of a section, or a part of it.'),
        find: z.string().min(1).max(300).optional().describe('Words: the passages in which they stand.'),
        filter: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe('Only lines that have all of these words; cursors count in what is left.'),
        cursor: z.int().min(0).optional().describe('Where the last part ended, as its answer said.'),
        maxTokens: maxTokens(4_000),
      })
      .refine(
        ({ section, find, cursor }) => [section, find, cursor].filter((it) => it !== undefined).length <= 1,
        'Give one of section, find and cursor.',
      ),
    readOnly: true,
    openWorld: false,
    async run({ resultId, ...wanted }, call) {
      const { principal } = call.caller;
      checkScope(principal, 'jobs.get');
      return await answerJob(call, await findOwnJob(call.deps, principal, resultId), wanted);
    },
  });
