import { AppError } from '../../../shared/errors.ts';
import { createSingleFlight } from '../../page/single-flight.ts';
import type { Extraction } from '../platforms/platform.ts';

const keptMs = 5 * 60_000;
/** Characters of one look, as JSON, and of all that are kept. */
const maxCharacters = 4_000_000;
const maxKeptCharacters = 64_000_000;
/** Links are not handed out on their last legs. */
const marginMs = 60_000;

/** One look at a video, and the platform whose code reads its captions and comments. */
export interface Look {
  extraction: Extraction;
  /** `page` also for what yt-dlp has read: its captions are files. */
  reader: 'youtube' | 'peertube' | 'page';
}

export interface ExtractionCache {
  /** What is known under `key`, or what `make` finds; asked once for all who ask meanwhile. */
  get(key: string, signal: AbortSignal, make: (signal: AbortSignal) => Promise<Look>): Promise<Look>;
}

/** Looks at videos, kept for some minutes: info, formats, captions and frames of one video are asked one after the other. */
export function createExtractionCache(now: () => number = Date.now): ExtractionCache {
  const kept = new Map<string, { look: Look; until: number; size: number }>();
  let keptCharacters = 0;
  const underWay = createSingleFlight<Look>();

  /** @throws AppError `target_too_large` */
  function keep(key: string, look: Look): void {
    const size = JSON.stringify(look.extraction).length;
    if (size > maxCharacters)
      throw new AppError('target_too_large', 'The metadata of the video is too large.');
    const { captionsFailure, chaptersFailure } = look.extraction;
    // It may be over soon.
    if (captionsFailure !== undefined || chaptersFailure !== undefined) return;
    const expire = look.extraction.linksExpireAt;
    const until = Math.min(now() + keptMs, expire === null ? Infinity : expire - marginMs);
    forget(key);
    kept.set(key, { look, until, size });
    keptCharacters += size;
    for (const oldest of kept.keys()) {
      if (keptCharacters <= maxKeptCharacters) break;
      forget(oldest);
    }
  }

  function forget(key: string): void {
    keptCharacters -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  }

  return {
    async get(key, signal, make) {
      const known = kept.get(key);
      if (known !== undefined && known.until > now()) return known.look;
      return await underWay.join(key, signal, async (ofAll) => {
        const look = await make(ofAll);
        keep(key, look);
        return look;
      });
    },
  };
}
