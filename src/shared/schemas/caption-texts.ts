import type { CaptionSegment } from './video.ts';

/** `hh:mm:ss` and milliseconds behind `separator`. */
function stamp(seconds: number, separator: ',' | '.'): string {
  const ms = Math.round(seconds * 1_000);
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1_000) % 60];
  const clock = parts.map((value) => String(value).padStart(2, '0')).join(':');
  return `${clock}${separator}${String(ms % 1_000).padStart(3, '0')}`;
}

const escapeVtt = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** SubRip. */
export function writeSrt(segments: readonly CaptionSegment[]): string {
  return segments
    .map(({ startSeconds, durationSeconds, text }, index) => {
      const end = startSeconds + durationSeconds;
      return `${index + 1}\n${stamp(startSeconds, ',')} --> ${stamp(end, ',')}\n${text}\n`;
    })
    .join('\n');
}

/** WebVTT. */
export function writeVtt(segments: readonly CaptionSegment[]): string {
  const cues = segments.map(({ startSeconds, durationSeconds, text }) => {
    const end = startSeconds + durationSeconds;
    return `${stamp(startSeconds, '.')} --> ${stamp(end, '.')}\n${escapeVtt(text)}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
}

/** The text alone, a line for each caption. */
export const joinText = (segments: readonly CaptionSegment[]): string =>
  segments.map(({ text }) => text.replaceAll('\n', ' ')).join('\n');
