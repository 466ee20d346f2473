import { review } from '../../../shared/contracts/web/review.ts';
import { screenshot } from '../../../shared/contracts/web/screenshot.ts';
import { screenshotById } from '../../../shared/contracts/web/screenshot-by-id.ts';
import { AppError } from '../../../shared/errors.ts';
import type { DataOf } from '../../../shared/operation.ts';
import { defineHandler, JobAnswer } from '../../handler.ts';
import { getOwnJob } from '../../own-job.ts';
import { clientStatusOf } from '../../presenter.ts';
import { presentReviewScreenshot } from '../../reviews/present-screenshot.ts';

export default defineHandler(screenshotById, async ({ input, principal, deps, presenter, origin }) => {
  const row = await getOwnJob(deps, principal, input.id);
  if (row.operation === review.id) return new JobAnswer(row, presentReviewScreenshot(row, presenter, origin));
  if (row.operation !== screenshot.id) {
    throw new AppError(
      'not_found',
      `Job ${row.id} is a ${row.operation}, not a screenshot. Ask /api/proxy/jobs/${row.id}.`,
    );
  }
  const status = clientStatusOf(row);
  const isLive = status === 'queued' || status === 'running';
  const record = isLive ? presenter.recordOf(row, origin) : presenter.dataOf(row, origin);
  return new JobAnswer(row, record as DataOf<typeof screenshot>);
});
