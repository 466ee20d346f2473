import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { jobErrors, jobId } from '../../schemas/job.ts';
import { reviewRecord, reviewRepresentations } from '../../schemas/review.ts';
import { review } from './review.ts';

export const reviewById = defineOperation({
  id: 'web.review-by-id',
  summary: 'Get a review',
  description:
    'The record of a review by the id of its job, as soon as that was answered with 202. With `against` it is compared with an earlier review. `Accept: text/html` answers the report.',
  route: { method: 'GET', path: '/api/proxy/web/v1/review/{reviewId}' },
  access: ['key', 'session'],
  representations: reviewRepresentations,
  input: z.strictObject({
    reviewId: jobId,
    against: jobId.describe('The id of an earlier review to compare with.').optional(),
  }),
  output: reviewRecord,
  errors: ['not_found', ...jobErrors, ...review.errors],
});
