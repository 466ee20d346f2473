import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { jobErrors, jobId } from '../../schemas/job.ts';
import { reviewErrors, reviewScreenshotFile } from '../../schemas/review.ts';
import { screenshotErrors, screenshotFile, screenshotRecord } from '../../schemas/screenshot.ts';

type Format = z.output<typeof screenshotRecord>['format'];

/** That of a review has one name. */
const file = ({ format }: { format?: Format }) =>
  format === undefined ? reviewScreenshotFile : screenshotFile({ format });
const image = { file, idHeader: 'X-Screenshot-Id' } as const;

export const screenshotById = defineOperation({
  id: 'web.screenshot-by-id',
  summary: 'Get a screenshot',
  description:
    "The record of a screenshot by its job's id, from the 202 on; also that of a review, by its `screenshotId`. `Accept: image/*` or `application/pdf` answers the bytes (ETag, Range).",
  route: { method: 'GET', path: '/api/proxy/web/v1/screenshot/{id}' },
  access: ['key', 'session'],
  representations: { 'image/*': image, 'application/pdf': image },
  input: z.strictObject({ id: jobId }),
  output: screenshotRecord,
  errors: [...new Set(['not_found', ...jobErrors, ...screenshotErrors, ...reviewErrors] as const)],
});
