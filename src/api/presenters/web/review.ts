import { review } from '../../../shared/contracts/web/review.ts';
import { reviewReportFile } from '../../../shared/schemas/review.ts';
import { definePresenter } from '../../presenter.ts';

export default definePresenter(review, ({ row, status, input, output, link }) => ({
  reviewId: row.id,
  status,
  url: input.url,
  finalUrl: output?.finalUrl ?? null,
  title: output?.title ?? null,
  device: input.device,
  scores: output?.scores ?? null,
  scoring: output?.scoring ?? null,
  metrics: output?.metrics ?? null,
  spread: output?.spread ?? null,
  runs: output?.runs ?? null,
  issues: output?.issues ?? null,
  passed: output?.passed ?? null,
  narrative: output?.narrative ?? null,
  // The screenshot is a file of the review: its id is the review's.
  screenshotId: output === null || output.screenshot === null ? null : row.id,
  reportUrl: output === null ? null : link(reviewReportFile),
  tool: output?.tool ?? null,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
}));
