import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { jobErrors, jobId } from '../../schemas/job.ts';
import { reviewScreenshotFile } from '../../schemas/review.ts';
import { screenshotRecord, screenshotRepresentations } from '../../schemas/screenshot.ts';
import { review } from './review.ts';
import { screenshot } from './screenshot.ts';

type Format = z.output<typeof screenshotRecord>['format'];

const { 'image/*': image, 'application/pdf': pdf } = screenshotRepresentations;
/** That of a review, an image, has one name. */
const imageFile = ({ format }: { format?: Format }) =>
  format === undefined ? reviewScreenshotFile : image.file({ format });
const pdfFile = ({ format }: { format?: Format }) => (format === undefined ? null : pdf.file({ format }));

export const screenshotById = defineOperation({
  id: 'web.screenshot-by-id',
  summary: 'Get a screenshot',
  description:
    'The record of a screenshot by the id of its job, as soon as that was answered with 202; also of the screenshot of a review, by its `screenshotId`. `Accept: image/*` or `application/pdf` answers the bytes (with ETag and Range).',
  route: { method: 'GET', path: '/api/proxy/web/v1/screenshot/{id}' },
  access: ['key', 'session'],
  representations: { 'image/*': { ...image, file: imageFile }, 'application/pdf': { ...pdf, file: pdfFile } },
  input: z.strictObject({ id: jobId }),
  output: screenshotRecord,
  errors: [...new Set(['not_found', ...jobErrors, ...screenshot.errors, ...review.errors] as const)],
});
