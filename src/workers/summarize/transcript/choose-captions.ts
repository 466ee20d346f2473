import type { VideoInfo } from '../../../shared/schemas/video.ts';
import { readLanguage } from '../../../shared/read-language.ts';

/** What `video.caption` is asked for. */
export interface CaptionWish {
  lang: string;
  kind: 'any' | 'manual' | 'auto';
}

const baseOf = (language: string): string => readLanguage(language).base;

/**
 * Which captions a transcript is made of: those of the language that is asked for; else of the one that is spoken,
 * which speech recognition tells where the platform does not; else what people have written, English first. In each
 * language those of people go before those of speech recognition. Where there are none, `video.caption` says why.
 */
export function chooseCaptions(
  { captionLanguages, language }: Pick<VideoInfo, 'captionLanguages' | 'language'>,
  asked: string | null,
): CaptionWish {
  if (asked !== null) return { lang: asked, kind: 'any' };
  const recognised = captionLanguages.filter(({ kind }) => kind === 'auto');
  const spoken = language ?? (recognised.length === 1 ? (recognised[0]?.language ?? null) : null);
  const manual = captionLanguages.filter(({ kind }) => kind === 'manual');
  const ordered = [...manual, ...recognised];
  const found =
    (spoken === null ? undefined : ordered.find((one) => baseOf(one.language) === baseOf(spoken))) ??
    ordered.find((one) => baseOf(one.language) === 'en') ??
    ordered[0];
  return found === undefined
    ? { lang: spoken ?? 'en', kind: 'any' }
    : { lang: found.language, kind: found.kind };
}
