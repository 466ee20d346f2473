import { AppError } from '../../../shared/errors.ts';
import type { CaptionTrack } from '../platforms/platform.ts';

const baseOf = (language: string): string => language.toLowerCase().split(/[-_]/)[0] ?? '';

/**
 * The exact language, else one of the same base (`en` for `en-GB` and the other way round); within either what was
 * written by people goes before what was recognised.
 * @throws AppError `captions_unavailable` naming what there is.
 */
export function chooseTrack(
  tracks: readonly CaptionTrack[],
  { language, kind }: { language: string; kind: 'any' | 'manual' | 'auto' },
): CaptionTrack {
  const ofKind = tracks.filter((track) => kind === 'any' || track.kind === kind);
  const ordered = [
    ...ofKind.filter((track) => track.kind === 'manual'),
    ...ofKind.filter((track) => track.kind === 'auto'),
  ];
  const wanted = language.toLowerCase();
  const found =
    ordered.find((track) => track.language.toLowerCase() === wanted) ??
    ordered.find((track) => baseOf(track.language) === baseOf(wanted));
  if (found !== undefined) return found;
  throw unavailable(tracks, `none of language ${language}${kind === 'any' ? '' : ` and kind ${kind}`}`);
}

function unavailable(tracks: readonly CaptionTrack[], missing: string): AppError {
  const available = tracks.map(({ language, label, kind }) => ({ language, label, kind }));
  const names = available.map(({ language, kind }) => `${language} (${kind})`).join(', ');
  const detail =
    available.length === 0
      ? 'The video has no captions.'
      : `The video has captions, but ${missing}. Available: ${names}.`;
  return new AppError('captions_unavailable', detail, { extensions: { available } });
}
