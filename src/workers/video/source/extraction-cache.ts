import { AppError } from '../../../shared/errors.ts';
import { createSingleFlight } from '../../page/single-flight.ts';
import type { Extraction } from '../platforms/platform.ts';

const keptMs = 5 * 60_000;
/** Characters of one extraction, as JSON, and of all that are kept. */
const maxCharacters = 4_000_000;
const maxKeptCharacters = 64_000_000;
/** Links are not handed out on their last legs. */
const marginMs = 60_000;

/** What one extraction of a video brought, and the platform whose code reads its captions and comments. */
export interface ExtractedVideo {
  extraction: Extraction;
  /** `page` also for what yt-dlp has read: its captions are files. */
  reader: 'youtube' | 'peertube' | 'page';
}

export interface ExtractionCache {
  /** What is known under `key`, or what `make` finds; asked once for all who ask meanwhile. */
  get(
    key: string,
    signal: AbortSignal,
    make: (signal: AbortSignal) => Promise<ExtractedVideo>,
  ): Promise<ExtractedVideo>;
}

/** Extractions of videos, kept for some minutes: info, formats, captions and frames of one video are asked one after the other. */
export function createExtractionCache(now: () => number = Date.now): ExtractionCache {
  const kept = new Map<string, { extracted: ExtractedVideo; until: number; size: number }>();
  let keptCharacters = 0;
  const underWay = createSingleFlight<ExtractedVideo>();

  /** @throws AppError `target_too_large` */
  function keep(key: string, extracted: ExtractedVideo): void {
    const size = JSON.stringify(extracted.extraction).length;
    if (size > maxCharacters)
      throw new AppError('target_too_large', 'The metadata of the video is too large.');
    const { captionsFailure, chaptersFailure } = extracted.extraction;
    // It may be over soon.
    if (captionsFailure !== undefined || chaptersFailure !== undefined) return;
    const expire = extracted.extraction.linksExpireAt;
    const until = Math.min(now() + keptMs, expire === null ? Infinity : expire - marginMs);
    forget(key);
    kept.set(key, { extracted, until, size });
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
      if (known !== undefined && known.until > now()) return known.extracted;
      return await underWay.join(key, signal, async (ofAll) => {
        const extracted = await make(ofAll);
        keep(key, extracted);
        return extracted;
      });
    },
  };
}
