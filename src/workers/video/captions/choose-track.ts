import { AppError } from '../../../shared/errors.ts';
import type { CaptionTrack } from '../platforms/platform.ts';
import { type CaptionTag, readLanguage } from '../../../shared/read-language.ts';

/**
 * The exact language, else one of the same base (`en` for `en-GB` and the other way round), of which one in the same
 * script first, then the base itself; within all of them what was written by people goes before what was recognised.
 * @throws AppError `captions_unavailable` naming what there is.
 */
export function chooseTrack(
  tracks: readonly CaptionTrack[],
  { language, kind }: { language: string; kind: 'any' | 'manual' | 'auto' },
): CaptionTrack {
  const wanted = readLanguage(language);
  const rankOf = (own: CaptionTag, track: CaptionTrack): number[] => [
    Number(own.tag !== wanted.tag),
    Number(own.script !== wanted.script),
    Number(track.kind !== 'manual'),
    Number(own.tag !== wanted.base),
  ];
  const [found] = tracks
    .filter((track) => kind === 'any' || track.kind === kind)
    .map((track) => ({ track, own: readLanguage(track.language) }))
    .filter(({ own }) => own.base === wanted.base)
    .map(({ track, own }) => ({ track, rank: rankOf(own, track).join('') }))
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
