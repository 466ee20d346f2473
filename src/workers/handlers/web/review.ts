import { narrateReview } from '../../../shared/contracts/review/narrate.ts';
import { review } from '../../../shared/contracts/web/review.ts';
import { reviewCategories, reviewReportFile } from '../../../shared/schemas/review.ts';
import { defineHandler } from '../../handler.ts';
import { gatherFindings } from '../../review/gather-findings.ts';
import { describeFindings } from '../../review/narrative.ts';
import { readFilmstrip, runReview } from '../../review/run-review.ts';
import { writeReport } from '../../review/report/write-report.ts';

export default defineHandler(review, async (input, job, tools) => {
  const model = await tools.models.get(input.model, job.userId);
  const question = {
    ...input,
    categories: input.categories ?? reviewCategories,
    headers: input.headers ?? {},
    cookies: input.cookies ?? {},
  };
  const measured = await runReview(question, job, tools);
  const findings = gatherFindings(measured);
  for (const { code, message } of findings.warnings) job.warn(code, message);
  const text = describeFindings(findings);
  const narrative =
    model.kind === 'extractive'
      ? { text, usage: null }
      : await job.call(narrateReview, { model: model.id, findings: text });
  const { warnings, ...kept } = findings;
  const record = { ...kept, narrative: { ...narrative, model: model.id } };
  const report = writeReport({
    record,
    warnings,
    url: input.url,
    device: input.device,
    reviewedAt: new Date(),
    ...(await readFilmstrip(findings, job)),
  });
  await job.files.write(reviewReportFile, 'text/html; charset=utf-8', Buffer.from(report));
  return record;
});
