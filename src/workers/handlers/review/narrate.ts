import { narrateReview } from '../../../shared/contracts/review/narrate.ts';
import { AppError } from '../../../shared/errors.ts';
import { defineHandler } from '../../handler.ts';
import { narrativePrompt } from '../../review/narrative-prompt.ts';

const maxOutputTokens = 1_500;

export default defineHandler(narrateReview, async ({ model: modelId, findings }, job, tools) => {
  const model = await tools.models.get(modelId, job.userId);
  if (model.kind !== 'generative') throw new AppError('unknown_model', `${modelId} writes no prose.`);
  const { system, prompt } = narrativePrompt(findings);
  const { text, usage } = await job.step('narrative', () =>
    model.generate({ system, prompt, maxOutputTokens, signal: job.signal }),
  );
  return { text: text.trim(), usage };
});
