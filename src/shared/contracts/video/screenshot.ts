import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { queryNumber } from '../../schemas/query-number.ts';
import { frameFile, frameRecord, frameWidth, storedFrame } from '../../schemas/video-frame.ts';
import { frameFormat, framesMs, platformErrors, videoUrl } from '../../schemas/video-requests.ts';

export const videoScreenshot = defineOperation({
  id: 'video.screenshot',
  summary: 'Take a frame of a video',
  description:
    'The frame that a player shows at the moment asked for. Only the part of the file around it is fetched. `Accept: image/*` answers the picture.',
  queue: 'video',
  route: { method: 'GET', path: '/api/proxy/video/v1/platform/screenshot' },
  targets: ({ url }) => [url],
  timeoutMs: () => framesMs,
  representations: { 'image/*': { file: frameFile } },
  input: z.strictObject({
    url: videoUrl,
    timestamp: queryNumber({ min: 0, max: 604_800, default: 0 }).describe('Seconds from the beginning.'),
    width: frameWidth,
    format: frameFormat,
  }),
  output: storedFrame,
  data: frameRecord.extend({ id: z.uuid().describe("The job's id.") }),
  errors: [...platformErrors, 'image_too_large'],
});
