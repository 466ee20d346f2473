import { AppError } from '../../../shared/errors.ts';
import type { CaptionTrack } from '../platforms/platform.ts';

const tagOf = (language: string): string => language.toLowerCase().replaceAll('_', '-');
const baseOf = (language: string): string => tagOf(language).split('-')[0] ?? '';

/** Which script a language is written in there, such as `Hant` of `zh-TW`; null of what is no tag. */
function scriptOf(language: string): string | null {
  try {
    return new Intl.Locale(tagOf(language)).maximize().script ?? null;
  } catch {
    return null;
  }
}

/**
 * The exact language, else one of the same base (`en` for `en-GB` and the other way round), of which one in the same
 * script first, then the base itself; within all of them what was written by people goes before what was recognised.
 * @throws AppError `captions_unavailable` naming what there is.
 */
export function chooseTrack(
  tracks: readonly CaptionTrack[],
  { language, kind }: { language: string; kind: 'any' | 'manual' | 'auto' },
): CaptionTrack {
  const [wanted, base, script] = [tagOf(language), baseOf(language), scriptOf(language)];
  const rankOf = (track: CaptionTrack): number[] => {
    const tag = tagOf(track.language);
    return [
      Number(tag !== wanted),
      Number(scriptOf(tag) !== script),
      Number(track.kind !== 'manual'),
      Number(tag !== base),
    ];
  };
  const [found] = tracks
    .filter((track) => (kind === 'any' || track.kind === kind) && baseOf(track.language) === base)
    .map((track) => ({ track, rank: rankOf(track).join('') }))
    .sort((a, b) => (a.rank < b.rank ? -1 : Number(a.rank > b.rank)));
  if (found !== undefined) return found.track;
  throw unavailable(tracks, `none of language ${language}${kind === 'any' ? '' : ` and kind ${kind}`}`);
}

const mostNamed = 100;

function unavailable(tracks: readonly CaptionTrack[], missing: string): AppError {
  const available = tracks
    .slice(0, mostNamed)
    .map(({ language, label, kind }) => ({ language, label, kind }));
  const names = available.map(({ language, kind }) => `${language} (${kind})`).join(', ');
  const detail =
    available.length === 0
      ? 'The video has no captions.'
      : `The video has captions, but ${missing}. Available: ${names}.`;
  return new AppError('captions_unavailable', detail, { extensions: { available } });
}
