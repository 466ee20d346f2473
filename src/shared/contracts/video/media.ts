import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { videoFormat } from '../../schemas/video.ts';
import { lookMs, platformErrors, videoUrl } from '../../schemas/video-requests.ts';

const formatId = z.string().nullable();

export const media = defineOperation({
  id: 'video.media',
  summary: 'List the formats of a video',
  description:
    'All formats that the platform names, the best first, with those that cannot be downloaded and why. `best` names the best that can.',
  queue: 'video',
  route: { method: 'GET', path: '/api/proxy/video/v1/platform/media' },
  targets: ({ url }) => [url],
  timeoutMs: () => lookMs,
  input: z.strictObject({ url: videoUrl }),
  output: z.object({
    formats: z.array(videoFormat),
    best: z
      .object({ video: formatId, audio: formatId, muxed: formatId })
      .describe("A format's id of each kind; null where none can be downloaded."),
  }),
  errors: platformErrors,
});
