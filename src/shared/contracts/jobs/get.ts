import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { job, jobId } from '../../schemas/job.ts';

export const getJob = defineOperation({
  id: 'jobs.get',
  summary: 'Get a job',
  description:
    'A job with its progress, and its result or problem once it has ended. `Prefer: wait=N` waits for its end, N seconds at most.',
  route: { method: 'GET', path: '/api/proxy/jobs/{id}' },
  access: ['key', 'session'],
  waits: true,
  input: z.strictObject({ id: jobId }),
  output: job,
  errors: ['not_found'],
});
