import { AppError } from '../../shared/errors.ts';
import type { FoundFormat } from './platforms/platform.ts';

const protocolRank = { https: 3, http: 3, hls: 2, dash: 1, other: 0 } as const;

/** What `720p` names: of a picture that stands upright the width. Null where the height is not known. */
const shorterSide = ({ width, height }: FoundFormat): number | null =>
  height === null ? null : Math.min(width ?? height, height);

/** Better ones first: what can be had, more pixels, the sound as it was recorded, more bits, and plain files before streams. */
export function byQuality(originalLanguage: string | null): (a: FoundFormat, b: FoundFormat) => number {
  const rank = (format: FoundFormat): number[] => [
    Number(format.downloadable),
    shorterSide(format) ?? 0,
    Number(format.language === null || format.language === originalLanguage),
    protocolRank[format.protocol],
    format.fps ?? 0,
    format.bitrateKbps ?? 0,
  ];
  return (a, b) => {
    const [of, other] = [rank(a), rank(b)];
    const index = of.findIndex((value, place) => value !== other[place]);
    return index === -1 ? 0 : (other[index] ?? 0) - (of[index] ?? 0);
  };
}

export interface BestFormats {
  video: string | null;
  audio: string | null;
  muxed: string | null;
}

export function findBest(formats: readonly FoundFormat[], language: string | null): BestFormats {
  const sorted = formats.filter(({ downloadable }) => downloadable).sort(byQuality(language));
  const best = (kind: FoundFormat['kind']): string | null =>
    sorted.find((format) => format.kind === kind)?.id ?? null;
  return { video: best('video'), audio: best('audio'), muxed: best('muxed') };
}

/**
 * `best`: picture and sound, else the best picture, else the best sound. `audio`: the best sound. `720p`: at most
 * that large on its shorter side. Anything else is a format's id.
 * @throws AppError `invalid_request` where there is none such, `unsupported_content` where it cannot be had.
 */
export function getFormat(
  formats: readonly FoundFormat[],
  wish: string,
  language: string | null,
): FoundFormat {
  const named = formats.find(({ id }) => id === wish);
  if (named !== undefined) {
    if (named.downloadable) return named;
    throw new AppError(
      'unsupported_content',
      `The format ${wish} cannot be downloaded. ${named.reason ?? ''}`.trim(),
    );
  }
  const sorted = formats.filter(({ downloadable }) => downloadable).sort(byQuality(language));
  if (sorted.length === 0) {
    const reason = formats.find((format) => format.reason !== null)?.reason ?? 'The platform names none.';
    throw new AppError('unsupported_content', `No format of the video can be downloaded. ${reason}`);
  }
  const height = /^(\d{2,5})p$/.exec(wish)?.[1];
  const fitting =
    height === undefined
      ? sorted
      : sorted.filter(
          (format) => format.kind !== 'audio' && (shorterSide(format) ?? Infinity) <= Number(height),
        );
  const found =
    wish === 'audio'
      ? sorted.find(({ kind }) => kind === 'audio')
      : (fitting.find(({ kind }) => kind === 'muxed') ?? fitting[0]);
  if (found !== undefined && (wish === 'best' || wish === 'audio' || height !== undefined)) return found;
  const ids = sorted.slice(0, 20).map(({ id }) => id);
  throw new AppError('invalid_request', `The video has no format ${wish}. There are: ${ids.join(', ')}.`, {
    errors: [
      { path: 'format', message: 'must be best, audio, a height such as 720p, or the id of a format' },
    ],
  });
}

/** The largest frame of which a picture is made: more pixels cost time, and nobody looks at them. */
const wholeFrameHeight = 1_080;

/** What frames are taken from: as many pixels as are wanted, in a plain file where there is one. */
export function getFrameFormat(
  formats: readonly FoundFormat[],
  width: number | null,
): FoundFormat & { url: string } {
  const withPicture = formats.filter(
    (format): format is FoundFormat & { url: string } =>
      format.kind !== 'audio' && format.url !== null && format.protocol !== 'other',
  );
  const isEnough = (format: FoundFormat): boolean =>
    width === null ? (format.height ?? 0) >= wholeFrameHeight : (format.width ?? 0) >= width;
  const pixels = (format: FoundFormat): number => (format.width ?? 0) * (format.height ?? 0);
  const sorted = withPicture.sort(
    (a, b) => protocolRank[b.protocol] - protocolRank[a.protocol] || pixels(a) - pixels(b),
  );
  const plain = sorted.filter(
    (format) => protocolRank[format.protocol] === protocolRank[sorted[0]?.protocol ?? 'other'],
  );
  const found = plain.find(isEnough) ?? plain.at(-1);
  if (found !== undefined) return found;
  throw new AppError(
    'unsupported_content',
    'The video has no format with a picture that can be read from here, such as a file, or a stream of one part.',
  );
}
