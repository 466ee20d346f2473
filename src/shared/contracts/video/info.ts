import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { videoInfo } from '../../schemas/video.ts';
import { extractionMs, platformErrors, videoUrl } from '../../schemas/video-requests.ts';

export const info = defineOperation({
  id: 'video.info',
  summary: 'Describe a video',
  description:
    'Title, description, channel, statistics, chapters, caption languages and whatever else the platform says about a video. What it does not say is null.',
  queue: 'video',
  route: { method: 'GET', path: '/api/proxy/video/v1/platform/info' },
  targets: ({ url }) => [url],
  timeoutMs: () => extractionMs,
  input: z.strictObject({ url: videoUrl }),
  output: videoInfo,
  errors: platformErrors,
});
