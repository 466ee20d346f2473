import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { summaryOptions } from '../../schemas/summary.ts';
import { transcriptInput, transcriptOperation, videoSummaryAnswer } from '../../schemas/video-summary.ts';

export const summaryCustom = defineOperation({
  ...transcriptOperation,
  id: 'video.summary-custom',
  summary: 'Summarise a video by a prompt',
  description:
    'The same as `/platform/summary`, but the prompt says what `summary` is about and what form it has. The built-in model cannot follow a prompt: it chooses the sentences that are related to its words, and a warning says so.',
  route: { method: 'POST', path: '/api/proxy/video/v1/platform/summary-custom' },
  input: z.strictObject({
    ...transcriptInput,
    prompt: z
      .string()
      .trim()
      .min(1)
      .max(4_000)
      .describe('What the summary should be about, and its form.')
      .meta({ examples: ['List the tools that are named, one a line.'] }),
    model: summaryOptions.model,
  }),
  output: videoSummaryAnswer,
});
