import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { jobErrors, jobId } from '../../schemas/job.ts';
import { screenshotErrors, screenshotRecord, screenshotRepresentations } from '../../schemas/screenshot.ts';

export const screenshotById = defineOperation({
  id: 'web.screenshot-by-id',
  summary: 'Get a screenshot',
  description:
    "The record of a screenshot by its job's id, from the 202 on. `Accept: image/*` or `application/pdf` answers the bytes (ETag, Range).",
  route: { method: 'GET', path: '/api/proxy/web/v1/screenshot/{id}' },
  access: ['key', 'session'],
  representations: screenshotRepresentations,
  input: z.strictObject({ id: jobId }),
  output: screenshotRecord,
  errors: ['not_found', ...jobErrors, ...screenshotErrors],
});
