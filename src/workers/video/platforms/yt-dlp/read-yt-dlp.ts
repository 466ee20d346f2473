import { AppError } from '../../../../shared/errors.ts';
import type { VideoChapter, VideoInfo } from '../../../../shared/schemas/video.ts';
import { boundPlaylist } from '../empty-format.ts';
import {
  at,
  countAt,
  flagAt,
  isoDate,
  listAt,
  type Loose,
  numberAt,
  secondsAt,
  textAt,
  toCount,
} from '../loose.ts';
import { type CaptionTrack, type Extraction, type FoundFormat, toCaptionTag } from '../platform.ts';

const captionForms = ['json3', 'vtt', 'srt', 'ttml'];
/** Sent by whoever fetches the link, whether we say so or not. */
const ownHeaders = /^(accept|accept-language|accept-encoding|sec-fetch-mode|connection|host)$/i;

/** What `yt-dlp --dump-single-json` has printed. @throws AppError where it is no single video. */
export function readYtDlp(json: string): Extraction {
  const video: Loose = JSON.parse(json);
  if (textAt(video, '_type') === 'playlist') {
    const entries = listAt(video, 'entries');
    if (entries.length === 1) return readYtDlp(JSON.stringify(entries[0]));
    throw new AppError('platform_unsupported', 'The URL is of a list of videos. Ask for one of them.');
  }
  const live = flagAt(video, 'is_live') ?? false;
  const durationSeconds = live ? null : secondsAt(video, 'duration');
  const listed = listAt(video, 'formats');
  const formats = (listed.length > 0 ? listed : [video]).flatMap(
    (one) => readFormat(one, durationSeconds) ?? [],
  );
  const captions = [
    ...readTracks(at(video, 'subtitles'), 'manual'),
    ...readTracks(at(video, 'automatic_captions'), 'auto'),
  ];
  return {
    info: readInfo(video, { live, durationSeconds, captions }),
    formats,
    captions,
    linksExpireAt: null,
    upcoming: textAt(video, 'live_status') === 'is_upcoming',
  };
}

function readInfo(
  video: Loose,
  {
    live,
    durationSeconds,
    captions,
  }: { live: boolean; durationSeconds: number | null; captions: CaptionTrack[] },
): VideoInfo {
  const thumbnails = listAt(video, 'thumbnails').flatMap((one) => {
    const url = textAt(one, 'url');
    return url === null ? [] : [{ url, width: countAt(one, 'width'), height: countAt(one, 'height') }];
  });
  const name = textAt(video, 'channel') ?? textAt(video, 'uploader');
  const url = textAt(video, 'webpage_url') ?? textAt(video, 'original_url') ?? '';
  const availability = textAt(video, 'availability');
  const stamp = numberAt(video, 'timestamp');
  return {
    id: textAt(video, 'id') ?? url,
    platform: (textAt(video, 'extractor_key') ?? textAt(video, 'extractor') ?? 'generic').toLowerCase(),
    url,
    title: textAt(video, 'title'),
    description: textAt(video, 'description'),
    durationSeconds,
    publishedAt: stamp === null ? dayOf(textAt(video, 'upload_date')) : isoDate(stamp * 1_000),
    thumbnail: textAt(video, 'thumbnail') ?? thumbnails.at(-1)?.url ?? null,
    thumbnails,
    channel:
      name === null
        ? null
        : {
            id: textAt(video, 'channel_id') ?? textAt(video, 'uploader_id'),
            name,
            url: textAt(video, 'channel_url') ?? textAt(video, 'uploader_url'),
            followers: countAt(video, 'channel_follower_count'),
          },
    stats: {
      views: countAt(video, 'view_count'),
      likes: countAt(video, 'like_count'),
      comments: countAt(video, 'comment_count'),
    },
    tags: listAt(video, 'tags').filter((tag) => typeof tag === 'string'),
    categories: listAt(video, 'categories').filter((one) => typeof one === 'string'),
    language: textAt(video, 'language'),
    license: textAt(video, 'license'),
    chapters: readChapters(video),
    live,
    unlisted: availability === null ? null : availability === 'unlisted',
    ageLimit: countAt(video, 'age_limit'),
    captionLanguages: captions.map(({ language, label, kind }) => ({ language, label, kind })),
  };
}

function dayOf(text: string | null): string | null {
  const match = /^(\d{4})(\d\d)(\d\d)$/.exec(text ?? '');
  return match ? isoDate(`${match[1]}-${match[2]}-${match[3]}T00:00:00Z`) : null;
}

function readChapters(video: Loose): VideoChapter[] {
  return listAt(video, 'chapters').flatMap((one) => {
    const [title, startSeconds] = [textAt(one, 'title'), secondsAt(one, 'start_time')];
    if (title === null || startSeconds === null) return [];
    return [{ title, startSeconds, endSeconds: secondsAt(one, 'end_time') }];
  });
}

/** `none` is yt-dlp's word for a part that is not there, and a missing one for what it does not know. */
const codecAt = (one: Loose, key: string): string | null => {
  const codec = textAt(one, key);
  return codec === 'none' ? null : codec;
};

function readFormat(one: Loose, durationSeconds: number | null): FoundFormat | null {
  const url = textAt(one, 'url');
  const told = textAt(one, 'protocol') ?? '';
  // Storyboards.
  if (url === null || told === 'mhtml') return null;
  const hasVideo = textAt(one, 'vcodec') !== 'none';
  const hasAudio = textAt(one, 'acodec') !== 'none';
  if (!hasVideo && !hasAudio) return null;
  const protocol = /m3u8/.test(told)
    ? 'hls'
    : /dash/.test(told)
      ? 'dash'
      : told === 'http' || told === 'https'
        ? told
        : 'other';
  const rate = numberAt(one, 'tbr');
  const exact = countAt(one, 'filesize');
  const estimate =
    countAt(one, 'filesize_approx') ??
    (rate === null || durationSeconds === null ? null : toCount((rate * 1_000 * durationSeconds) / 8));
  const headers = Object.entries((at(one, 'http_headers') ?? {}) as object).filter(
    ([, value]) => typeof value === 'string',
  );
  const cookies = textAt(one, 'cookies');
  const boundToAddress = /[?&/]ip[=/]/.test(url);
  const reason =
    protocol === 'other' || protocol === 'dash' || cookies !== null
      ? 'The platform serves it in a way that only its own player, or yt-dlp itself, can follow.'
      : protocol === 'hls' && boundToAddress
        ? boundPlaylist
        : null;
  return {
    id: textAt(one, 'format_id') ?? '0',
    kind: hasVideo ? (hasAudio ? 'muxed' : 'video') : 'audio',
    container: protocol === 'hls' ? 'hls' : textAt(one, 'ext'),
    width: hasVideo ? countAt(one, 'width') : null,
    height: hasVideo ? countAt(one, 'height') : null,
    fps: hasVideo ? numberAt(one, 'fps') : null,
    videoCodec: codecAt(one, 'vcodec'),
    audioCodec: codecAt(one, 'acodec'),
    bitrateKbps: rate === null ? null : Math.round(rate),
    sizeBytes: exact ?? estimate,
    sizeIsEstimate: exact === null && estimate !== null,
    hdr: textAt(one, 'dynamic_range') === null ? null : textAt(one, 'dynamic_range') !== 'SDR',
    language: textAt(one, 'language'),
    protocol,
    downloadable: reason === null,
    reason,
    url,
    headers: Object.fromEntries(
      headers
        .filter(([name]) => !ownHeaders.test(name))
        .map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    boundToAddress,
  };
}

function readTracks(byLanguage: Loose, kind: 'manual' | 'auto'): CaptionTrack[] {
  if (typeof byLanguage !== 'object' || byLanguage === null) return [];
  const isHeard = kind === 'auto';
  const tracks = new Map<string, CaptionTrack>();
  for (const [key, forms] of Object.entries(byLanguage)) {
    // What is spoken is listed twice, the second time with this ending, so that it is told from its translations.
    const language = isHeard ? key.replace(/-orig$/, '') : key;
    const known = listAt(forms).filter(
      (form) => captionForms.includes(textAt(form, 'ext') ?? '') && !(isHeard && isTranslation(form)),
    );
    const best = known.sort((a, b) => rankOf(a) - rankOf(b))[0];
    const url = textAt(best, 'url');
    if (url === null || language === 'live_chat') continue;
    const label = textAt(best, 'name');
    tracks.set(language, { language: toCaptionTag(language), label, kind, url, headers: {} });
  }
  return [...tracks.values()];
}

/** Of what was recognised, which the platform offers in every language. */
const isTranslation = (form: Loose): boolean =>
  URL.parse(textAt(form, 'url') ?? '')?.searchParams.has('tlang') === true;

const rankOf = (form: Loose): number => captionForms.indexOf(textAt(form, 'ext') ?? '');
