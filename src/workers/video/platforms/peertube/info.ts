import type { FoundVideo, VideoChapter, VideoInfo } from '../../../../shared/schemas/video.ts';
import { at, countAt, flagAt, isoDate, listAt, type Loose, numberAt, secondsAt, textAt } from '../loose.ts';
import type { CaptionTrack } from '../platform.ts';

/** PeerTube's label for what was not filled in. */
const labelAt = (value: Loose, key: string): string | null =>
  at(value, key, 'id') === null ? null : textAt(value, key, 'label');

const imageAt = (value: Loose, origin: string, ...keys: string[]): string | null => {
  const place = keys.map((key) => textAt(value, key)).find((one) => one !== null) ?? null;
  return place === null ? null : (URL.parse(place, origin)?.href ?? null);
};

function thumbnailsOf(video: Loose, origin: string): VideoInfo['thumbnails'] {
  const listed = listAt(video, 'thumbnails').flatMap((one) => {
    const url = imageAt(one, origin, 'fileUrl', 'path');
    return url === null ? [] : [{ url, width: countAt(one, 'width'), height: countAt(one, 'height') }];
  });
  const named = [
    imageAt(video, origin, 'thumbnailUrl', 'thumbnailPath'),
    imageAt(video, origin, 'previewUrl', 'previewPath'),
  ];
  const unsized = named.flatMap((url) => (url === null ? [] : [{ url, width: null, height: null }]));
  return listed.length > 0 ? listed.sort((a, b) => (a.width ?? 0) - (b.width ?? 0)) : unsized;
}

function channelOf(video: Loose): { id: string; name: string | null; url: string | null } | null {
  const channel = at(video, 'channel');
  const name = textAt(channel, 'name');
  if (name === null) return null;
  const host = textAt(channel, 'host');
  return {
    id: host === null ? name : `${name}@${host}`,
    name: textAt(channel, 'displayName') ?? name,
    url: textAt(channel, 'url'),
  };
}

const publishedAt = (video: Loose): string | null =>
  isoDate(at(video, 'originallyPublishedAt') ?? at(video, 'publishedAt'));

/** A live stream that is on: its state is 1 (published), not 4 (it waits) or 5 (it has ended). */
const isOnAir = (video: Loose): boolean =>
  flagAt(video, 'isLive') === true && (numberAt(video, 'state', 'id') ?? 1) === 1;

/** Of `/api/v1/videos/{id}`. */
export function readInfo(video: Loose, origin: string, captions: readonly CaptionTrack[]): VideoInfo {
  const thumbnails = thumbnailsOf(video, origin);
  const channel = channelOf(video);
  const category = labelAt(video, 'category');
  const isLive = flagAt(video, 'isLive') ?? false;
  const nsfw = flagAt(video, 'nsfw');
  return {
    id: textAt(video, 'uuid') ?? '',
    platform: 'peertube',
    url: textAt(video, 'url') ?? origin,
    title: textAt(video, 'name'),
    description: textAt(video, 'description') ?? textAt(video, 'truncatedDescription'),
    durationSeconds: isLive ? null : secondsAt(video, 'duration'),
    publishedAt: publishedAt(video),
    thumbnail: thumbnails.at(-1)?.url ?? null,
    thumbnails,
    channel: channel === null ? null : { ...channel, followers: countAt(video, 'channel', 'followersCount') },
    stats: {
      views: countAt(video, 'views'),
      likes: countAt(video, 'likes'),
      comments: countAt(video, 'comments'),
    },
    tags: listAt(video, 'tags').filter((tag) => typeof tag === 'string'),
    categories: category === null ? [] : [category],
    language: textAt(video, 'language', 'id'),
    license: labelAt(video, 'licence'),
    chapters: [],
    live: isOnAir(video),
    unlisted: privacyOf(video),
    ageLimit: nsfw === null ? null : nsfw ? 18 : 0,
    captionLanguages: captions.map(({ language, label, kind }) => ({ language, label, kind })),
  };
}

/** PeerTube's numbers: 1 public, 2 unlisted. */
function privacyOf(video: Loose): boolean | null {
  const privacy = numberAt(video, 'privacy', 'id');
  return privacy === null ? null : privacy === 2;
}

/** Of a search's list; null where it names no video. */
export function readFound(video: Loose, origin: string): FoundVideo | null {
  const id = textAt(video, 'uuid');
  const url = URL.parse(textAt(video, 'url') ?? '');
  if (id === null || url === null) return null;
  const isLive = flagAt(video, 'isLive') ?? false;
  return {
    id,
    url: url.href,
    title: textAt(video, 'name'),
    durationSeconds: isLive ? null : secondsAt(video, 'duration'),
    thumbnail: thumbnailsOf(video, url.origin).at(-1)?.url ?? imageAt(video, origin, 'thumbnailPath'),
    channel: channelOf(video),
    views: countAt(video, 'views'),
    publishedAt: publishedAt(video),
    publishedText: null,
    live: isOnAir(video),
  };
}

/** Of `/api/v1/videos/{id}/chapters`. */
export function readChapters(answer: Loose, durationSeconds: number | null): VideoChapter[] {
  const found = listAt(answer, 'chapters').flatMap((one) => {
    const [title, startSeconds] = [textAt(one, 'title'), secondsAt(one, 'timecode')];
    return title === null || startSeconds === null ? [] : [{ title, startSeconds }];
  });
  const sorted = found.sort((a, b) => a.startSeconds - b.startSeconds);
  return sorted.map((chapter, index) => ({
    ...chapter,
    endSeconds: sorted[index + 1]?.startSeconds ?? durationSeconds,
  }));
}
