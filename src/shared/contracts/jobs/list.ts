import { z } from 'zod';
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
    limit: queryInteger({ min: 1, max: 100, default: 20 }).describe('Jobs of a page.'),
    cursor: z
      .uuid('Use the `nextCursor` of the page before')
      .optional()
      .describe('`nextCursor` of the page before.')
      .meta({ examples: ['0197f3c2-8d3a-7c41-b6f2-2f3f1d0a9e55'] }),
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
