import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { queryInteger } from '../../schemas/query-integer.ts';
import { videoSearch } from '../../schemas/video.ts';
import { extractionMs, platformErrors } from '../../schemas/video-requests.ts';

export const search = defineOperation({
  id: 'video.search',
  summary: 'Search for videos',
  description: 'Videos that a platform finds, in the order of the platform.',
  queue: 'video',
  route: { method: 'GET', path: '/api/proxy/video/v1/platform/search' },
  timeoutMs: () => extractionMs,
  input: z.strictObject({
    q: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe('The search terms.')
      .meta({ examples: ['peertube'] }),
    limit: queryInteger({ min: 1, max: 50, default: 10 }).describe('Maximum number of videos.'),
    platform: z.enum(['youtube', 'peertube']).default('youtube').describe('The platform to search.'),
  }),
  output: videoSearch,
  errors: platformErrors,
});
