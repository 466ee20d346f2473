import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { job, jobId } from '../../schemas/job.ts';

export const deleteJob = defineOperation({
  id: 'jobs.delete',
  summary: 'Cancel a job or delete its result',
  description: 'Cancels a live job; deletes the stored result of an ended one. Repeating it changes nothing.',
  route: { method: 'DELETE', path: '/api/proxy/jobs/{id}' },
  access: ['key', 'session'],
  input: z.strictObject({ id: jobId }),
  output: job,
  errors: ['not_found'],
});
