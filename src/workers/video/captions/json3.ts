import { AppError } from '../../../shared/errors.ts';
import type { CaptionSegment } from '../../../shared/schemas/video.ts';

interface Json3 {
  events?: { tStartMs?: number; dDurationMs?: number; segs?: { utf8?: string }[] }[];
}

/** YouTube's own form: events of segments; those that only scroll the window hold a line feed. */
export function readJson3(text: string): CaptionSegment[] {
  let parsed: Json3;
  try {
    parsed = JSON.parse(text) as Json3;
  } catch (cause) {
    throw new AppError('unsupported_content', 'The captions are cut off or damaged.', { cause });
  }
  if (!Array.isArray(parsed.events))
    throw new AppError('unsupported_content', 'The captions are JSON of an unknown form.');
  return parsed.events.flatMap(({ tStartMs, dDurationMs = 0, segs }) => {
    if (typeof tStartMs !== 'number' || !Array.isArray(segs)) return [];
    const words = segs.map(({ utf8 }) => (typeof utf8 === 'string' ? utf8 : '')).join('');
    if (words.trim() === '') return [];
    return [
      { startSeconds: tStartMs / 1_000, durationSeconds: Number(dDurationMs) / 1_000 || 0, text: words },
    ];
  });
}
