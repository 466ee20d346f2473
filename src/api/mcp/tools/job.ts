import { z } from 'zod';
import { cancelLiveJob } from '../../cancel-job.ts';
import { findOwnJob } from '../../own-job.ts';
import { awaitJob } from '../../await-job.ts';
import { answerJob } from '../run-job.ts';
import { checkScope } from '../../http/key-rights.ts';
import { defineTool, type MakeTool, maxTokens } from '../tool.ts';

export const makeJob: MakeTool = () =>
  defineTool({
    name: 'job',
    title: 'Ask for a job, or cancel it',
    description:
      'A call that takes longer answers the id of a job that goes on. get waits some seconds for its end and answers its result, or that it is not finished yet; cancel ends it.',
    input: z.strictObject({
      id: z.string().min(1).max(100).describe('The id of the job.'),
      action: z.enum(['get', 'cancel']).default('get'),
      maxTokens: maxTokens(4_000),
    }),
    readOnly: false,
    openWorld: false,
    async run({ id, action, maxTokens: bound }, call) {
      checkScope(call.caller.principal, action === 'get' ? 'jobs.get' : 'jobs.delete');
      const row = await findOwnJob(call.deps, call.caller.principal, id);
      if (action === 'get') {
        const ended = await call.pause(() => awaitJob(call.deps, row, call.waitMs, call.signal));
        return await answerJob(call, ended, { maxTokens: bound });
      }
      const told = (await cancelLiveJob(call.deps, row))
        ? 'is canceled'
        : 'had ended before; nothing was changed';
      return { content: [{ type: 'text', text: `The job ${row.id} ${told}.` }] };
    },
  });
