import { AppError } from '../../../../shared/errors.ts';
import type { CaptionSegment } from '../../../../shared/schemas/video.ts';
import { parseCaptions } from '../../captions/parse-captions.ts';
import { withoutRepeats } from '../../captions/segments.ts';
import { ask, checkCaptions, foreignTextOf } from '../answers.ts';
import type { CaptionTrack } from '../platform.ts';
import { findDashParts, findHlsParts } from './manifest.ts';

/** Of one track: ten hours of parts of ten seconds. */
const mostParts = 3_600;
const mostCharacters = 16 * 1024 * 1024;
const atOnce = 8;

/** The files that captions stand in where the text is a manifest; null where it is the captions. */
export function findParts(text: string, url: string, track: CaptionTrack): string[] | null {
  if (/^\s*#EXTM3U/.test(text)) return findHlsParts(text, url);
  return /<MPD[\s>]/.test(text.slice(0, 4_000)) ? findDashParts(text, url, track) : null;
}

const tooMany = (what: string): AppError =>
  new AppError('target_too_large', `The captions of the video have more ${what} than are read of them.`);

/**
 * Captions that are cut into files, as one.
 * @throws AppError `target_too_large`, and as those of one file.
 */
export async function readParts(parts: readonly string[], fetchIt: typeof fetch): Promise<CaptionSegment[]> {
  if (parts.length > mostParts) throw tooMany('parts');
  const found = new Map<string, CaptionSegment>();
  let [characters, first]: [number, number | null] = [0, null];
  for (let from = 0; from < parts.length; from += atOnce) {
    const answers = await Promise.all(
      parts.slice(from, from + atOnce).map(async (url) => {
        const response = await ask(fetchIt, url);
        checkCaptions(response, 'The site');
        const text = await foreignTextOf(response, 'text');
        return { text, type: response.headers.get('content-type') };
      }),
    );
    for (const { text, type } of answers) {
      if (text.trim() === '') continue;
      characters += text.length;
      if (characters > mostCharacters) throw tooMany('text');
      const clock = readClockMap(text);
      first ??= clock;
      const shift = clock === null || first === null ? 0 : clock - first;
      for (const cue of await parseCaptions(text, type)) {
        const startSeconds = cue.startSeconds + shift;
        // A cue that lasts over the end of a part stands in the next one too.
        found.set(`${startSeconds.toFixed(3)} ${cue.text}`, { ...cue, startSeconds });
      }
    }
  }
  return withoutRepeats([...found.values()]);
}

/**
 * Where the clock of a part's cues begins on that of the stream, in seconds (RFC 8216, 3.5); null where nothing says it.
 */
function readClockMap(text: string): number | null {
  const map = /^X-TIMESTAMP-MAP=(.{1,100})/m.exec(text.slice(0, 2_000))?.[1] ?? '';
  const stream = /MPEGTS:(\d{1,12})/.exec(map)?.[1];
  const [, hours = '0', minutes, seconds] = /LOCAL:(?:(\d{1,4}):)?(\d\d):(\d\d\.\d{3})/.exec(map) ?? [];
  if (stream === undefined || minutes === undefined) return null;
  return Number(stream) / 90_000 - (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds));
}
