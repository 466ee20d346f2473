import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { captionTag } from '../../schemas/caption-tag.ts';
import { joinText, writeSrt, writeVtt } from '../../schemas/caption-texts.ts';
import { captionKinds, captionLanguage, captionSegment } from '../../schemas/video.ts';
import { extractionMs, platformErrors, videoUrl } from '../../schemas/video-requests.ts';

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
    'The captions in exactly this language, or else in the same base language (`en` for `en-GB`). Captions written by people are preferred to those made by speech recognition; rolling lines are merged. If there are none in the language, the error `captions_unavailable` lists what is available.',
  queue: 'video',
  route: { method: 'GET', path: '/api/proxy/video/v1/platform/caption' },
  targets: ({ url }) => [url],
  timeoutMs: () => extractionMs,
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
      .describe('The format of the answer when `Accept` does not choose one.'),
  }),
  output: z.object({
    language: z.string(),
    kind: z.enum(captionKinds),
    segments: z.array(captionSegment),
    text: z.string().describe('The whole text, one line per segment.'),
    available: z.array(captionLanguage),
  }),
  errors: [...platformErrors, 'captions_unavailable'],
});
