import type { VideoChapter, VideoInfo } from '../../../../shared/schemas/video.ts';
import {
  at,
  countAt,
  findAll,
  findFirst,
  flagAt,
  isoDate,
  listAt,
  type Loose,
  numberAt,
  readClock,
  readCount,
  secondsAt,
  textAt,
} from '../loose.ts';
import type { CaptionTrack } from '../platform.ts';
import { findOriginalLanguage } from './formats.ts';
import { channelUrl, readText, readThumbnails, watchUrl } from './text.ts';

/** What YouTube answers about one video: to a player, to a browser's player, and of its watch page. */
export interface VideoAnswers {
  player: Loose;
  /** Has the `microformat` that only browsers get. */
  webPlayer: Loose;
  next: Loose;
}

export function readInfo(id: string, answers: VideoAnswers, captions: readonly CaptionTrack[]): VideoInfo {
  const { player, webPlayer, next } = answers;
  const details = { ...objectAt(webPlayer, 'videoDetails'), ...objectAt(player, 'videoDetails') };
  const micro =
    at(webPlayer, 'microformat', 'playerMicroformatRenderer') ??
    at(player, 'microformat', 'playerMicroformatRenderer');
  const primary = findFirst(next, 'videoPrimaryInfoRenderer');
  const live = flagAt(details, 'isLive') ?? flagAt(micro, 'liveBroadcastDetails', 'isLiveNow') ?? false;
  const length = secondsAt(details, 'lengthSeconds') ?? secondsAt(micro, 'lengthSeconds');
  const durationSeconds = length === null || length === 0 ? null : length;
  const thumbnails = readThumbnails(
    at(details, 'thumbnail'),
    at(webPlayer, 'videoDetails', 'thumbnail'),
    at(micro, 'thumbnail'),
  );
  const category = textAt(micro, 'category');
  const isFamilySafe = flagAt(micro, 'isFamilySafe');
  return {
    id,
    platform: 'youtube',
    url: watchUrl(id),
    title: textAt(details, 'title') ?? readText(primary, 'title') ?? readText(micro, 'title'),
    description: textAt(details, 'shortDescription') ?? readText(micro, 'description'),
    durationSeconds: live ? null : durationSeconds,
    publishedAt: isoDate(at(micro, 'publishDate') ?? at(micro, 'uploadDate')),
    thumbnail: thumbnails.at(-1)?.url ?? null,
    thumbnails,
    channel: readOwner(details, micro, next),
    stats: {
      views: countAt(details, 'viewCount') ?? countAt(micro, 'viewCount'),
      likes: countAt(micro, 'likeCount') ?? readLikes(primary),
      comments: readCommentCount(next),
    },
    tags: listAt(details, 'keywords').filter((tag) => typeof tag === 'string'),
    categories: category === null ? [] : [category],
    language: findOriginalLanguage(player) ?? captions.find(({ kind }) => kind === 'auto')?.language ?? null,
    license: readLicense(next),
    chapters: readChapters(next, durationSeconds),
    live,
    unlisted: flagAt(micro, 'isUnlisted') ?? (primary === undefined ? null : hasUnlistedBadge(primary)),
    ageLimit: isFamilySafe === null ? null : isFamilySafe ? 0 : 18,
    captionLanguages: captions.map(({ language, label, kind }) => ({ language, label, kind })),
  };
}

function objectAt(value: Loose, key: string): object {
  const found = at(value, key);
  return typeof found === 'object' && found !== null ? found : {};
}

function readOwner(details: Loose, micro: Loose, next: Loose): VideoInfo['channel'] {
  const owner = findFirst(next, 'videoOwnerRenderer');
  const endpoint = at(owner, 'navigationEndpoint', 'browseEndpoint');
  const id =
    textAt(details, 'channelId') ?? textAt(micro, 'externalChannelId') ?? textAt(endpoint, 'browseId');
  const name = textAt(details, 'author') ?? textAt(micro, 'ownerChannelName') ?? readText(owner, 'title');
  if (id === null && name === null) return null;
  const handle = textAt(endpoint, 'canonicalBaseUrl');
  const profile = textAt(micro, 'ownerProfileUrl')?.replace(/^http:/, 'https:') ?? null;
  return {
    id,
    name,
    url: handle === null ? (profile ?? channelUrl(id, null)) : channelUrl(id, handle),
    followers: readCount(readText(owner, 'subscriberCountText')),
  };
}

function readLikes(primary: Loose): number | null {
  return readCount(textAt(findFirst(findFirst(primary, 'likeButtonViewModel'), 'buttonViewModel'), 'title'));
}

function readCommentCount(next: Loose): number | null {
  for (const panel of findAll(next, 'engagementPanelSectionListRenderer')) {
    if (textAt(panel, 'panelIdentifier') !== 'engagement-panel-comments-section') continue;
    return readCount(readText(panel, 'header', 'engagementPanelTitleHeaderRenderer', 'contextualInfo'));
  }
  return null;
}

function readLicense(next: Loose): string | null {
  const rows = findAll(findFirst(next, 'metadataRowContainerRenderer'), 'metadataRowRenderer');
  const row = rows.find((one) => /^licen[cs]e$/i.test(readText(one, 'title') ?? ''));
  return readText(row, 'contents', 0);
}

function hasUnlistedBadge(primary: Loose): boolean {
  return findAll(primary, 'iconType').includes('PRIVACY_UNLISTED');
}

/** From the panel of chapters; each stands in the answer several times. */
function readChapters(next: Loose, durationSeconds: number | null): VideoChapter[] {
  const byStart = new Map<number, string>();
  const panels = findAll(next, 'engagementPanelSectionListRenderer').filter((panel) =>
    /macro-markers-(description|auto)-chapters/.test(textAt(panel, 'panelIdentifier') ?? ''),
  );
  // What the uploader has written goes before what was guessed.
  const panel = panels.find((one) => /description/.test(textAt(one, 'panelIdentifier') ?? '')) ?? panels[0];
  for (const item of findAll(panel, 'macroMarkersListItemRenderer')) {
    const start =
      numberAt(item, 'onTap', 'watchEndpoint', 'startTimeSeconds') ??
      readClock(readText(item, 'timeDescription'));
    const title = readText(item, 'title');
    if (start !== null && title !== null && !byStart.has(start)) byStart.set(start, title);
  }
  if (byStart.size === 0) {
    const maps = findAll(next, 'markersMap').flatMap((map) => listAt(map));
    // Others mark what is explained or replayed most.
    const marked = maps.filter((one) => /^(DESCRIPTION|AUTO)_CHAPTERS$/.test(textAt(one, 'key') ?? ''));
    for (const item of findAll(marked, 'chapterRenderer')) {
      const start = numberAt(item, 'timeRangeStartMillis');
      const title = readText(item, 'title');
      if (start !== null && title !== null) byStart.set(start / 1_000, title);
    }
  }
  const starts = [...byStart].sort(([a], [b]) => a - b);
  // Chapters cover the whole video; what begins later are single moments.
  if (starts[0]?.[0] !== 0) return [];
  return starts.map(([startSeconds, title], index) => ({
    title,
    startSeconds,
    endSeconds: starts[index + 1]?.[0] ?? durationSeconds,
  }));
}

export function readCaptionTracks(player: Loose): CaptionTrack[] {
  return listAt(player, 'captions', 'playerCaptionsTracklistRenderer', 'captionTracks').flatMap((track) => {
    const url = textAt(track, 'baseUrl');
    const language = textAt(track, 'languageCode');
    if (url === null || language === null) return [];
    const kind = textAt(track, 'kind') === 'asr' ? 'auto' : 'manual';
    return [{ language, label: readText(track, 'name'), kind, url, headers: {} } satisfies CaptionTrack];
  });
}
