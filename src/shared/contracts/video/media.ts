import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { videoFormat } from '../../schemas/video.ts';
import { extractionMs, platformErrors, videoUrl } from '../../schemas/video-requests.ts';

const formatId = z.string().nullable();

export const media = defineOperation({
  id: 'video.media',
  summary: 'List the formats of a video',
  description:
    'All formats that the platform offers, best first, including those that cannot be downloaded, with the reason. `best` names the best ones that can.',
  queue: 'video',
  route: { method: 'GET', path: '/api/proxy/video/v1/platform/media' },
  targets: ({ url }) => [url],
  timeoutMs: () => extractionMs,
  input: z.strictObject({ url: videoUrl }),
  output: z.object({
    formats: z.array(videoFormat),
    best: z
      .object({ video: formatId, audio: formatId, muxed: formatId })
      .describe('The id of the best format of each kind; null when none can be downloaded.'),
  }),
  errors: platformErrors,
});
