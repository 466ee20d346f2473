import { videoSummary } from '../../../shared/contracts/video/summary.ts';
import { defineHandler } from '../../handler.ts';
import { summarizeVideo } from '../../summarize/transcript/summarize-video.ts';

export default defineHandler(videoSummary, async (input, job, tools) => {
  const { url, lang = null, length, language = null, focus = null } = input;
  const model = await tools.models.get(input.model, job.userId);
  return await summarizeVideo(
    model,
    { url, captionLanguage: lang, length, language, focus },
    job,
    tools.tasks,
  );
});
