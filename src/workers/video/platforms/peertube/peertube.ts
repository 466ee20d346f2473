import { parseCaptions } from '../../captions/parse-captions.ts';
import { AppError, toStoredError } from '../../../../shared/errors.ts';
import type { VideoSearch } from '../../../../shared/schemas/video.ts';
import { ask, checkCaptions, jsonOf, notFound, textOf } from '../answers.ts';
import { flagAt, listAt, type Loose, numberAt, textAt } from '../loose.ts';
import type { CaptionTrack, Extraction, Platform, PlatformContext } from '../platform.ts';
import { readComments } from './comments.ts';
import { readFormats } from './formats.ts';
import { findPeertubeId } from './video-id.ts';
import { readChapters, readFound, readInfo } from './info.ts';

const apiOf = (url: URL, id: string): string => `${url.origin}/api/v1/videos/${id}`;

/** What the instance says of why it does not show a video. */
function toObstacle(problem: Loose, status: number): AppError {
  const code = textAt(problem, 'code') ?? '';
  const detail = textAt(problem, 'detail') ?? textAt(problem, 'error') ?? '';
  if (status === 404) return notFound();
  const told = detail === '' ? '' : ` The instance says: ${detail.slice(0, 300)}`;
  if (status === 429 || status >= 500)
    return new AppError('upstream_failed', `The instance answered ${status}.${told}`);
  if (/password|private|internal|auth(?!ors?\b)|token|login/i.test(`${code} ${detail}`) || status === 401)
    return new AppError('video_private', `The video is not open to everybody.${told}`);
  return new AppError('unsupported_content', `The instance does not show the video.${told}`);
}

/** Whether an error is PeerTube's: it names its documentation, and before 3.3 it had these words alone. */
const isOwnProblem = (problem: Loose): boolean =>
  ['type', 'docs'].some((key) => textAt(problem, key)?.startsWith('https://docs.joinpeertube.org/')) ||
  /^(?:Video not found|Cannot get this (?:private|video))/.test(textAt(problem, 'error') ?? '');

/** @returns null where the site is no PeerTube. */
async function askVideo(url: URL, id: string, context: PlatformContext): Promise<Loose> {
  const response = await ask(context.fetch, apiOf(url, id), { headers: { accept: 'application/json' } });
  const text = await textOf(response);
  let video: Loose;
  try {
    video = JSON.parse(text);
  } catch {
    return null;
  }
  if (!response.ok) {
    if (isOwnProblem(video)) throw toObstacle(video, response.status);
    return null;
  }
  return textAt(video, 'uuid') !== null && textAt(video, 'name') !== null ? video : null;
}

async function extract(url: URL, context: PlatformContext): Promise<Extraction | null> {
  const id = findPeertubeId(url);
  if (id === null) return null;
  const video = await askVideo(url, id, context);
  if (video === null) return null;
  const api = apiOf(url, textAt(video, 'uuid') ?? id);
  const [answer, chapters] = await Promise.all([
    askPart(`${api}/captions`, context).catch(toFailure),
    askPart(`${api}/chapters`, context).catch(toFailure),
  ]);
  const failures = {
    ...(answer instanceof AppError && { captionsFailure: toStoredError(answer) }),
    ...(chapters instanceof AppError && { chaptersFailure: toStoredError(chapters) }),
  };
  const captions = answer instanceof AppError ? [] : readCaptionTracks(answer, url.origin);
  const info = readInfo(video, url.origin, captions);
  info.chapters = chapters instanceof AppError ? [] : readChapters(chapters, info.durationSeconds);
  // It waits for its live stream to begin.
  const upcoming = numberAt(video, 'state', 'id') === 4;
  const formats = upcoming ? [] : readFormats(video, info.durationSeconds);
  return { info, formats, captions, linksExpireAt: null, upcoming, ...failures };
}

/** Captions and chapters that cannot be had are a failure of what needs them alone. */
const toFailure = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : new AppError('upstream_failed', 'The instance did not answer.', { cause: error });

/** @returns null where the instance, an older one, knows no such part of a video. */
async function askPart(url: string, { fetch: fetchIt }: PlatformContext): Promise<unknown> {
  const response = await ask(fetchIt, url, { headers: { accept: 'application/json' } });
  if (response.status !== 404 && response.status !== 405) return await jsonOf(response, 'The instance');
  await response.body?.cancel().catch(() => undefined);
  return null;
}

function readCaptionTracks(answer: Loose, origin: string): CaptionTrack[] {
  return listAt(answer, 'data').flatMap((one) => {
    const language = textAt(one, 'language', 'id');
    const place = textAt(one, 'captionPath') ?? textAt(one, 'fileUrl');
    const url = place === null ? null : URL.parse(place, origin);
    if (language === null || url === null) return [];
    const kind = flagAt(one, 'automaticallyGenerated') === true ? 'auto' : 'manual';
    return [
      {
        language,
        label: textAt(one, 'language', 'label'),
        kind,
        url: url.href,
        headers: {},
      } satisfies CaptionTrack,
    ];
  });
}

async function search(query: string, limit: number, context: PlatformContext): Promise<VideoSearch> {
  const base = new URL('/api/v1/search/videos', context.settings.peertubeSearchUrl);
  base.search = String(
    new URLSearchParams({ search: query, start: '0', count: String(limit), nsfw: 'false' }),
  );
  const answer = await jsonOf(await ask(context.fetch, base.href), 'The PeerTube search');
  const items = listAt(answer, 'data').flatMap((one) => readFound(one, base.origin) ?? []);
  return { query, correctedQuery: null, platform: 'peertube', items: items.slice(0, limit) };
}

export const peertube: Platform = {
  name: 'peertube',
  extract,
  search,
  async comments(url, options, context) {
    const id = findPeertubeId(url);
    const video = id === null ? null : await askVideo(url, id, context);
    if (id === null || video === null) return null;
    return await readComments(apiOf(url, id), video, options, context);
  },
  async readCaptions(track, { fetch: fetchIt }) {
    const response = await ask(fetchIt, track.url);
    checkCaptions(response, 'The instance');
    return await parseCaptions(await textOf(response), response.headers.get('content-type'));
  },
};
