import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { captionTag } from '../../schemas/caption-tag.ts';
import { joinText, writeSrt, writeVtt } from '../../schemas/caption-texts.ts';
import { captionKinds, captionLanguage, captionSegment } from '../../schemas/video.ts';
import { lookMs, platformErrors, videoUrl } from '../../schemas/video-requests.ts';

const mediaTypes = {
  json: 'application/json',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  txt: 'text/plain',
};

export const caption = defineOperation({
  id: 'video.caption',
  summary: 'Read the captions of a video',
  description:
    'The captions in the exact language, else in the same base language (`en` for `en-GB`); those written by people before those of speech recognition, with rolling lines merged. Where there are none in the language, the error `captions_unavailable` lists what there is.',
  queue: 'video',
  route: { method: 'GET', path: '/api/proxy/video/v1/platform/caption' },
  targets: ({ url }) => [url],
  timeoutMs: () => lookMs,
  preferredType: ({ format }) => mediaTypes[format],
  representations: {
    'text/vtt': { text: ({ segments }) => writeVtt(segments) },
    'application/x-subrip': { text: ({ segments }) => writeSrt(segments) },
    'text/plain': { text: ({ segments }) => joinText(segments) },
  },
  input: z.strictObject({
    url: videoUrl,
    lang: captionTag.default('en').describe('BCP 47 language tag.'),
    kind: z
      .enum(['any', ...captionKinds])
      .default('any')
      .describe('`auto`: made by speech recognition.'),
    format: z
      .enum(['json', 'srt', 'vtt', 'txt'])
      .default('json')
      .describe('What is answered where `Accept` leaves it open.'),
  }),
  output: z.object({
    language: z.string(),
    kind: z.enum(captionKinds),
    segments: z.array(captionSegment),
    text: z.string().describe('All of it, a line for each segment.'),
    available: z.array(captionLanguage),
  }),
  errors: [...platformErrors, 'captions_unavailable'],
});
