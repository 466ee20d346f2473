import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { queryInteger } from '../../schemas/query-integer.ts';
import { frameRecord, frameWidth, storedFrame } from '../../schemas/video-frame.ts';
import { frameFormat, framesMs, platformErrors, videoUrl } from '../../schemas/video-requests.ts';

export const screenshotMultiple = defineOperation({
  id: 'video.screenshot-multiple',
  summary: 'Take frames at even intervals of a video',
  description:
    'One frame from the middle of each of `count` equal parts; if that frame is black, a brighter one of the same part. `timestampSeconds` says where each comes from.',
  queue: 'video',
  route: { method: 'GET', path: '/api/proxy/video/v1/platform/screenshot-multiple' },
  targets: ({ url }) => [url],
  timeoutMs: () => framesMs,
  input: z.strictObject({
    url: videoUrl,
    count: queryInteger({ min: 1, max: 20, default: 4 }).describe('Number of frames.'),
    width: frameWidth,
    format: frameFormat,
  }),
  output: z.object({ frames: z.array(storedFrame) }),
  data: z.object({ frames: z.array(frameRecord) }),
  errors: [...platformErrors, 'image_too_large'],
});
