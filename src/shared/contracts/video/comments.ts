import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { queryInteger } from '../../schemas/query-integer.ts';
import { videoComments } from '../../schemas/video.ts';
import { extractionMs, platformErrors, videoUrl } from '../../schemas/video-requests.ts';

export const comments = defineOperation({
  id: 'video.comments',
  summary: 'Read the comments of a video',
  description:
    'Comments in the order of the platform. Places that `limit` leaves are filled with replies, each after the comment that began its thread. If comments are switched off, the answer is a success with `disabled`. YouTube and PeerTube only.',
  queue: 'video',
  route: { method: 'GET', path: '/api/proxy/video/v1/platform/comments' },
  targets: ({ url }) => [url],
  timeoutMs: () => extractionMs,
  input: z.strictObject({
    url: videoUrl,
    limit: queryInteger({ min: 1, max: 100, default: 20 }).describe('Comments and replies together.'),
    sort: z.enum(['top', 'new']).default('top').describe('The order, as the platform sorts.'),
  }),
  output: videoComments,
  errors: platformErrors,
});
