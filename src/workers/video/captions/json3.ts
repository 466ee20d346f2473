import { AppError } from '../../../shared/errors.ts';
import type { CaptionSegment } from '../../../shared/schemas/video.ts';

/** As foreign as it comes: each part may be missing or of another kind. */
interface Json3 {
  events?: ({ tStartMs?: number; dDurationMs?: number; segs?: ({ utf8?: string } | null)[] } | null)[];
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
  return parsed.events.flatMap((event) => {
    const { tStartMs, dDurationMs = 0, segs } = event ?? {};
    if (typeof tStartMs !== 'number' || !Array.isArray(segs)) return [];
    const words = segs.map((seg) => (typeof seg?.utf8 === 'string' ? seg.utf8 : '')).join('');
    if (words.trim() === '') return [];
    return [
      {
        startSeconds: tStartMs / 1_000,
        durationSeconds: Math.max(0, Number(dDurationMs) / 1_000 || 0),
        text: words,
      },
    ];
  });
}
