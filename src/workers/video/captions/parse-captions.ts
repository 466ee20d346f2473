import { AppError } from '../../../shared/errors.ts';
import type { CaptionSegment } from '../../../shared/schemas/video.ts';
import { readCues } from './cues.ts';
import { readJson3 } from './json3.ts';
import { plainText, withoutRepeats } from './segments.ts';
import { readTtml } from './ttml.ts';
import { withoutTimes } from './without-times.ts';

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
  const isTtml = /^<(\?xml|tt[\s>:]|\w+:tt[\s>])/i.test(start);
  if (isTtml || (start.startsWith('<') && /ttml/.test(contentType ?? '')))
    return withoutRepeats(readTtml(start));
  const isVtt = start.startsWith('WEBVTT');
  const { head, cues } = readCues(start, { endsAtBlank: isVtt });
  const lastOfHead = head.trim().split('\n').at(-1) ?? '';
  // Right before the times of SubRip stands a number at most; before that, who made them.
  if (!isVtt && (cues.length === 0 || !/^\s*\d*$/.test(lastOfHead)))
    throw new AppError('unsupported_content', 'The captions are neither json3, WebVTT, SubRip nor TTML.');
  // Without any times it is an empty file, which the parts of a stream may well be.
  if (cues.length === 0 && start.includes('-->')) throw withoutTimes();
  const shown = cues.filter(({ durationSeconds }) => durationSeconds > 0);
  return withoutRepeats(shown.map((cue) => ({ ...cue, text: plainText(cue.text) })));
}
