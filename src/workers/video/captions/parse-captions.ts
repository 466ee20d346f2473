import * as library from 'media-captions';
import { AppError } from '../../../shared/errors.ts';
import type { CaptionSegment } from '../../../shared/schemas/video.ts';
import { readJson3 } from './json3.ts';
import { plainText, withoutRepeats } from './segments.ts';
import { readTtml } from './ttml.ts';

/** Its published types name their parts in a way that Node's module resolution does not follow. */
const { parseText } = library as unknown as {
  parseText(
    text: string,
    options: { type: 'vtt' | 'srt'; strict: boolean },
  ): Promise<{ cues: { startTime: number; endTime: number; text: string }[] }>;
};

/**
 * Reads json3, WebVTT, SubRip and TTML, told apart by their text, which is right more often than the type.
 * @throws AppError `platform_blocked` for a web page in their place, `unsupported_content` for anything else.
 */
export async function parseCaptions(text: string, contentType: string | null): Promise<CaptionSegment[]> {
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (/^<!doctype html|^<html|^<head|^<body/i.test(start))
    throw new AppError(
      'platform_blocked',
      'The platform answered with a web page where captions were asked.',
    );
  if (start.startsWith('{')) return withoutRepeats(readJson3(start));
  if (/^<(\?xml|tt[\s>:]|\w+:tt[\s>])/i.test(start) || /ttml/.test(contentType ?? ''))
    return withoutRepeats(readTtml(start));
  const type = start.startsWith('WEBVTT')
    ? 'vtt'
    : /^(?:\d+\s*[\r\n]\s*)?(?:\d+:)?\d+:\d\d[,.]\d+\s*-->/.test(start)
      ? 'srt'
      : null;
  if (type === null) {
    throw new AppError('unsupported_content', 'The captions are neither json3, WebVTT, SubRip nor TTML.');
  }
  // Some tell behind the times where on the picture a line stands; the library takes that for words.
  const timed = type === 'vtt' ? start : start.replaceAll(/(-->[ \t]*[\d:,.]{1,20})[^\r\n]*/g, '$1');
  const { cues } = await parseText(timed, { type, strict: false });
  return withoutRepeats(
    cues.map(({ startTime, endTime, text: words }) => ({
      startSeconds: startTime,
      durationSeconds: Math.max(0, endTime - startTime),
      text: plainText(words),
    })),
  );
}
