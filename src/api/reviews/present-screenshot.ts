import type { z } from 'zod';
import { review } from '../../shared/contracts/web/review.ts';
import { AppError } from '../../shared/errors.ts';
import type { JobWithResult } from '../../shared/jobs/find-jobs.ts';
import { type OutputOf, storedInputOf } from '../../shared/operation.ts';
import { reviewScreenshotFile } from '../../shared/schemas/review.ts';
import type { screenshotRecord } from '../../shared/schemas/screenshot.ts';
import type { JobPresenter } from '../present-job.ts';

/**
 * The picture that a review has taken, told as a screenshot.
 * @throws AppError the review's own error; `not_found` where it has none (yet).
 */
export function presentReviewScreenshot(
  row: JobWithResult,
  presenter: JobPresenter,
  origin: string,
): z.output<typeof screenshotRecord> {
  presenter.dataOf(row, origin);
  const job = presenter.present(row, origin);
  const output = presenter.outputOf(row) as OutputOf<typeof review> | null;
  const file = job.files.find(({ name }) => name === reviewScreenshotFile);
  if (output === null || file === undefined) {
    throw new AppError(
      'not_found',
      `Review ${row.id} has no screenshot${job.status === 'succeeded' ? '' : ` yet: it is ${job.status}`}.`,
    );
  }
  const { finalUrl, statusCode, title, screenshot } = output;
  const { headers: _headers, cookies: _cookies, url, ...options } = storedInputOf(review, row.input);
  return {
    id: row.id,
    status: job.status,
    url,
    finalUrl,
    statusCode: statusCode ?? null,
    title: title ?? '',
    format: 'jpeg',
    width: screenshot?.width ?? null,
    height: screenshot?.height ?? null,
    bytes: file.bytes,
    sha256: file.sha256,
    imageUrl: file.url,
    thumbnailUrl: null,
    truncated: null,
    options,
    createdAt: job.createdAt,
    expiresAt: job.expiresAt,
  };
}
