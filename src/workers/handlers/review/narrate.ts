import { narrateReview } from '../../../shared/contracts/review/narrate.ts';
import { AppError } from '../../../shared/errors.ts';
import { requireAnswer } from '../../ai/require-answer.ts';
import { withoutThoughts } from '../../ai/thoughts.ts';
import { defineHandler } from '../../handler.ts';
import { narrativePrompt } from '../../review/narrative-prompt.ts';
import { outputTokens } from '../../summarize/merge-summaries.ts';

const narrativeTokens = 1_500;

export default defineHandler(narrateReview, async ({ model: modelId, findings }, job, tools) => {
  const model = await tools.models.get(modelId, job.userId);
  if (model.kind !== 'generative') throw new AppError('unknown_model', `${modelId} writes no prose.`);
  const { system, prompt } = narrativePrompt(findings);
  const maxOutputTokens = outputTokens(model, narrativeTokens);
  const { text, ...generated } = await job.step('narrative', () =>
    model.generate({ system, prompt, maxOutputTokens, signal: job.signal }),
  );
  const narrative = withoutThoughts(text);
  requireAnswer(model, { ...generated, text: narrative });
  if (generated.ending === 'cut') {
    const detail = `The model ${model.id} did not finish within ${maxOutputTokens} tokens. Try another model.`;
    throw new AppError('upstream_failed', detail, { isFinal: true });
  }
  return { text: narrative, usage: generated.usage };
});
