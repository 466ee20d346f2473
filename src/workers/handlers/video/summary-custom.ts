import { summaryCustom } from '../../../shared/contracts/video/summary-custom.ts';
import { defineHandler } from '../../handler.ts';
import { summarizeVideo } from '../../summarize/transcript/summarize-video.ts';

export default defineHandler(summaryCustom, async ({ url, lang = null, prompt, ...input }, job, tools) => {
  const model = await tools.models.get(input.model, job.userId);
  const wishes = { length: 'medium', language: null } as const;
  const isBuiltIn = model.kind === 'extractive';
  if (isBuiltIn) {
    const message = `The built-in model follows no prompt: it has chosen the sentences that have to do with the words of yours. Name another model to have it followed.`;
    job.warn('prompt_not_followed', message);
  }
  const asked = isBuiltIn ? { focus: prompt } : { focus: null, instruction: prompt };
  return await summarizeVideo(model, { url, captionLanguage: lang, ...wishes, ...asked }, job, tools.tasks);
});
