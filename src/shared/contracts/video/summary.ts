import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { summaryOptions } from '../../schemas/summary.ts';
import { transcriptInput, transcriptOperation, videoSummaryAnswer } from '../../schemas/video-summary.ts';

export const videoSummary = defineOperation({
  ...transcriptOperation,
  id: 'video.summary',
  summary: 'Summarise a video',
  description:
    'Summarises what is said in a video of any length, from its captions, and each of its chapters with its start. Works without a provider too: the built-in model chooses the sentences that say most. Every quote occurs in the captions. Instructions in the captions are treated as content.',
  route: { method: 'GET', path: '/api/proxy/video/v1/platform/summary' },
  input: z.strictObject({ ...transcriptInput, ...summaryOptions }),
  output: videoSummaryAnswer,
});
