import type { FoundVideo, VideoSearch } from '../../../../shared/schemas/video.ts';
import { AppError } from '../../../../shared/errors.ts';
import { at, findAll, findFirst, listAt, type Loose, readClock, readCount, textAt } from '../loose.ts';
import type { Found } from '../platform.ts';
import type { InnertubeSession } from './session.ts';
import { readChannel, readText, readThumbnails, watchUrl } from './text.ts';

const maxPages = 5;
/** InnerTube's filter for videos only. */
const videosOnly = 'EgIQAfABAQ%3D%3D';

export async function searchVideos(
  session: InnertubeSession,
  query: string,
  limit: number,
): Promise<Found<VideoSearch>> {
  const items = new Map<string, FoundVideo>();
  let isPartial = false;
  let answer = await session.ask('search', { query, params: videosOnly }, 'WEB');
  const correctedQuery = readText(findFirst(answer, 'showingResultsForRenderer'), 'correctedQuery');
  for (let page = 1; ; page++) {
    for (const item of readItems(answer)) items.set(item.id, item);
    const continuation = textAt(
      findAll(answer, 'continuationItemRenderer').at(-1),
      'continuationEndpoint',
      'continuationCommand',
      'token',
    );
    if (items.size >= limit || continuation === null || page === maxPages) break;
    const next: unknown = await session.ask('search', { continuation }, 'WEB').catch(() => null);
    if (next === null) {
      isPartial = true;
      break;
    }
    answer = next;
  }
  if (items.size === 0 && isUnread(answer))
    throw new AppError(
      'upstream_failed',
      'The results could not be read: YouTube tells them in a form that is not known here.',
    );
  const found = { query, correctedQuery, items: [...items.values()].slice(0, limit) };
  return { ...found, platform: 'youtube', ...(isPartial && { isPartial }) };
}

/** By what videos are told: much else stands where nothing was found. */
const ofVideos = /video|lockup|reel/i;

const isUnread = (answer: Loose): boolean =>
  findAll(answer, 'itemSectionRenderer')
    .flatMap((section) => listAt(section, 'contents'))
    .some((item) => Object.keys(item ?? {}).some((name) => ofVideos.test(name)));

function readItems(answer: Loose): FoundVideo[] {
  return findAll(answer, 'videoRenderer').flatMap((video) => {
    const id = textAt(video, 'videoId');
    return id === null ? [] : [readItem(id, video)];
  });
}

/** Of `1,234 views`; what is live tells who is watching, or waiting, in their place. */
function readViews(text: string | null): number | null {
  if (text === null || !/\bviews?\b/i.test(text)) return null;
  return /^no views/i.test(text) ? 0 : readCount(text);
}

function readItem(id: string, video: Loose): FoundVideo {
  const byline = at(video, 'ownerText', 'runs', 0) ?? at(video, 'longBylineText', 'runs', 0);
  const badges = listAt(video, 'badges').map((badge) => textAt(badge, 'metadataBadgeRenderer', 'style'));
  const overlays = listAt(video, 'thumbnailOverlays').map((one) =>
    textAt(one, 'thumbnailOverlayTimeStatusRenderer', 'style'),
  );
  return {
    id,
    url: watchUrl(id),
    title: readText(video, 'title'),
    durationSeconds: readClock(readText(video, 'lengthText')),
    thumbnail: readThumbnails(at(video, 'thumbnail')).at(-1)?.url ?? null,
    channel: byline === undefined ? null : readChannel(byline),
    views: readViews(readText(video, 'viewCountText')),
    publishedAt: null,
    publishedText: readText(video, 'publishedTimeText'),
    live: badges.includes('BADGE_STYLE_TYPE_LIVE_NOW') || overlays.includes('LIVE'),
  };
}
