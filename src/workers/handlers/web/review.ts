import { extractiveModelId } from '../../../shared/ai/model-list.ts';
import { narrateReview } from '../../../shared/contracts/review/narrate.ts';
import { review } from '../../../shared/contracts/web/review.ts';
import type { Warning } from '../../../shared/schemas/job.ts';
import { reviewCategories, reviewReportFile, type StoredReview } from '../../../shared/schemas/review.ts';
import { defineHandler, type JobContext } from '../../handler.ts';
import { type Findings, gatherFindings } from '../../review/gather-findings.ts';
import { describeFindings } from '../../review/narrative.ts';
import { readFilmstrip, runReview } from '../../review/run-review.ts';
import { writeReport } from '../../review/report/write-report.ts';

export default defineHandler(review, async (input, job, tools) => {
  const modelId = tools.modelIdOf(input.model);
  const question = {
    ...input,
    categories: input.categories ?? reviewCategories,
  };
  const measured = await runReview(question, job, tools);
  const findings = gatherFindings(measured, question.categories);
  const { warnings: found, ...kept } = findings;
  const { narrative, warnings: ofNarrative } = await narrate(modelId, findings, job);
  const warnings = [...found, ...ofNarrative];
  for (const { code, message } of warnings) job.warn(code, message);
  const record = { ...kept, narrative };
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

/** A model that fails takes the findings with it into no failure: the built-in one tells them then, with a warning. */
async function narrate(
  model: string,
  findings: Findings,
  job: JobContext,
): Promise<{ narrative: NonNullable<StoredReview['narrative']>; warnings: Warning[] }> {
  const text = describeFindings(findings);
  const builtIn = { text, model: extractiveModelId, usage: null };
  if (model === extractiveModelId) return { narrative: builtIn, warnings: [] };
  const [answer] = await job.callAll(narrateReview, [{ model, findings: text }]);
  if (answer?.ok === true) return { narrative: { ...answer.output, model }, warnings: [] };
  const message = `The model ${model} wrote no narrative, so the built-in one did: ${answer?.error.detail}`;
  return { narrative: builtIn, warnings: [{ code: 'model_failed', message }] };
}
