import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { jobErrors, jobId } from '../../schemas/job.ts';
import { reviewErrors, reviewRecord, reviewRepresentations } from '../../schemas/review.ts';

export const reviewById = defineOperation({
  id: 'web.review-by-id',
  summary: 'Get a review',
  description:
    "The record of a review by its job's id, from the 202 on. With `against` it is compared with an earlier one. `Accept: text/html` answers the report.",
  route: { method: 'GET', path: '/api/proxy/web/v1/review/{reviewId}' },
  access: ['key', 'session'],
  representations: reviewRepresentations,
  input: z.strictObject({
    reviewId: jobId,
    against: jobId.describe('Another review, to be compared with as the one before.').optional(),
  }),
  output: reviewRecord,
  errors: ['not_found', ...jobErrors, ...reviewErrors],
});
