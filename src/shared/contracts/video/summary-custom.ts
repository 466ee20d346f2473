import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { summaryOptions } from '../../schemas/summary.ts';
import { transcriptInput, transcriptOperation, videoSummaryAnswer } from '../../schemas/video-summary.ts';

export const summaryCustom = defineOperation({
  ...transcriptOperation,
  id: 'video.summary-custom',
  summary: 'Summarise a video as you say',
  description:
    'As `/platform/summary`, with `summary` in the form and about what the prompt asks for. The built-in model cannot follow a prompt: it chooses the sentences that have to do with its words, and says so in a warning.',
  route: { method: 'POST', path: '/api/proxy/video/v1/platform/summary-custom' },
  input: z.strictObject({
    ...transcriptInput,
    prompt: z
      .string()
      .trim()
      .min(1)
      .max(4_000)
      .describe('What the summary is to be.')
      .meta({ examples: ['List the tools that are named, one a line.'] }),
    model: summaryOptions.model,
  }),
  output: videoSummaryAnswer,
});
