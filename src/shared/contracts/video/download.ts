import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { videoFormat } from '../../schemas/video.ts';
import { extractionMs, platformErrors, videoUrl } from '../../schemas/video-requests.ts';

const download = {
  via: z
    .enum(['direct', 'tunnel'])
    .describe(
      "`direct`: the platform's own link. `tunnel`: a signed link of this service that streams it, because the platform's link works from the address of this server only.",
    ),
  filename: z.string(),
  contentType: z.string().nullable(),
  sizeBytes: z.int().nullable(),
  format: videoFormat,
};

export const videoDownload = defineOperation({
  id: 'video.download',
  summary: 'Get a link to download a video',
  description:
    'A link that works for anybody who has it, until it expires. A tunnel supports byte ranges, is limited in bytes and time, and stores nothing.',
  queue: 'video',
  route: { method: 'GET', path: '/api/proxy/video/v1/platform/download' },
  targets: ({ url }) => [url],
  timeoutMs: () => extractionMs,
  input: z.strictObject({
    url: videoUrl,
    format: z
      .string()
      .min(1)
      .max(200)
      .default('best')
      .describe(
        '`best`, `audio`, at most a height (`720p`; of an upright picture its width), or the id of a format as `/platform/media` names it.',
      ),
  }),
  output: z.object({
    ...download,
    mediaUrl: z.string(),
    headers: z.record(z.string(), z.string()),
    linkExpiresAt: z.iso.datetime().nullable(),
  }),
  data: z.object({
    url: z.string(),
    ...download,
    expiresAt: z.iso.datetime().nullable().describe('Null when the platform does not say.'),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe('Headers to send with the request, if the server requires them.'),
  }),
  errors: platformErrors,
});
