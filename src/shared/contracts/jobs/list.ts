import { z } from 'zod';
import { cursor } from '../../schemas/page-cursor.ts';
import { queryInteger } from '../../schemas/query-integer.ts';
import { defineOperation } from '../../operation.ts';
import { job, jobStatuses } from '../../schemas/job.ts';

export const listJobs = defineOperation({
  id: 'jobs.list',
  summary: 'List jobs',
  description: "The user's own jobs, newest first, without their results.",
  route: { method: 'GET', path: '/api/proxy/jobs' },
  access: ['key', 'session'],
  input: z.strictObject({
    status: z.enum(jobStatuses).optional().describe('Only jobs in this state.'),
    operation: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Only jobs of this operation, e.g. `web.scrape`.')
      .meta({ examples: ['web.scrape'] }),
    limit: queryInteger({ min: 1, max: 100, default: 20 }).describe('Jobs on one page.'),
    cursor,
  }),
  output: z.object({
    jobs: z.array(job),
    nextCursor: z
      .uuid()
      .nullable()
      .describe(
        '`cursor` of the next page; null on the last. A page of few jobs, or of none, may have one: a call looks through 20,000 jobs at most.',
      ),
  }),
  errors: [],
});
