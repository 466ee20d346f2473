import { reviewById } from '../../../shared/contracts/web/review-by-id.ts';
import { review } from '../../../shared/contracts/web/review.ts';
import { AppError } from '../../../shared/errors.ts';
import type { DataOf, OutputOf } from '../../../shared/operation.ts';
import { defineHandler, type InlineRequest, JobAnswer } from '../../handler.ts';
import { getOwnJob } from '../../own-job.ts';
import { clientStatusOf } from '../../presenter.ts';
import { compareReviews } from '../../reviews/compare-reviews.ts';

type Request = InlineRequest<typeof reviewById>;

export default defineHandler(reviewById, async (request) => {
  const { input, presenter, origin } = request;
  const row = await getReview(request, input.reviewId);
  const status = clientStatusOf(row);
  const isLive = status === 'queued' || status === 'running';
  const record = (isLive ? presenter.recordOf(row, origin) : presenter.dataOf(row, origin)) as DataOf<
    typeof review
  >;
  if (input.against === undefined) return new JobAnswer(row, record);
  const before = await getReview(request, input.against);
  const comparison = compareReviews(
    { id: before.id, ...getFindings(request, before) },
    getFindings(request, row),
  );
  return new JobAnswer(row, { ...record, comparison });
});

async function getReview({ deps, principal }: Request, id: string) {
  const row = await getOwnJob(deps, principal, id);
  if (row.operation === review.id) return row;
  throw new AppError(
    'not_found',
    `Job ${row.id} is a ${row.operation}, not a review. Ask /api/proxy/jobs/${row.id}.`,
  );
}

/** @throws AppError its own error, or `invalid_request` while it runs. */
function getFindings({ presenter, origin }: Request, row: Awaited<ReturnType<typeof getReview>>) {
  const status = clientStatusOf(row);
  if (status === 'queued' || status === 'running') {
    throw new AppError(
      'invalid_request',
      `Review ${row.id} is ${status}: reviews can be compared once both have ended. Ask again in a moment.`,
    );
  }
  const { device } = presenter.dataOf(row, origin) as DataOf<typeof review>;
  return { ...(presenter.outputOf(row) as OutputOf<typeof review>), device };
}
