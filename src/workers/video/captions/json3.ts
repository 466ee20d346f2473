import { AppError } from '../../../shared/errors.ts';
import type { CaptionSegment } from '../../../shared/schemas/video.ts';
import { withoutTimes } from './without-times.ts';
import { numberAt } from '../platforms/loose.ts';

/** As foreign as it comes: each part may be missing or of another kind. */
interface Json3 {
  events?: ({
    tStartMs?: number | string;
    dDurationMs?: number | string;
    segs?: ({ utf8?: string } | null)[];
  } | null)[];
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
  let isUntimed = false;
  const segments = parsed.events.flatMap((event) => {
    const { segs } = event ?? {};
    if (!Array.isArray(segs)) return [];
    const words = segs.map((seg) => (typeof seg?.utf8 === 'string' ? seg.utf8 : '')).join('');
    if (words.trim() === '') return [];
    const startMs = numberAt(event, 'tStartMs');
    if (startMs === null) {
      isUntimed = true;
      return [];
    }
    const durationMs = Math.max(0, numberAt(event, 'dDurationMs') ?? 0);
    return [{ startSeconds: startMs / 1_000, durationSeconds: durationMs / 1_000, text: words }];
  });
  if (segments.length === 0 && isUntimed) throw withoutTimes();
  return segments;
}
