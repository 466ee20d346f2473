import { parseCaptions } from '../../captions/parse-captions.ts';
import { AppError } from '../../../../shared/errors.ts';
import { ask, blocked, checkCaptions, textOf } from '../answers.ts';
import { secondsAt } from '../loose.ts';
import type { Extraction, Platform, PlatformContext, PlatformSettings } from '../platform.ts';
import { readComments } from './comments.ts';
import { type CipheredFormat, readFormats } from './formats.ts';
import { readCaptionTracks, readInfo } from './info.ts';
import { isUpcoming } from './playability.ts';
import { askPlayers, consent } from './player.ts';
import { searchVideos } from './search.ts';
import { findYoutubeId } from './video-id.ts';
import { type InnertubeSession, openSession, rebase } from './session.ts';

function getVideoId(url: URL, settings: PlatformSettings): string {
  const id = findYoutubeId(url, settings.youtubeUrl);
  if (id !== null) return id;
  throw new AppError('platform_unsupported', 'The URL is on YouTube, but it is not the URL of a video.');
}

const longestLinkSeconds = 30 * 86_400;

async function withLinks(formats: CipheredFormat[], session: InnertubeSession): Promise<CipheredFormat[]> {
  const made: CipheredFormat[] = [];
  for (const format of formats) {
    const url =
      format.url === null && format.cipher !== null
        ? await session.decipher(format.cipher).catch(() => null)
        : format.url;
    made.push(url === format.url ? format : { ...format, url, downloadable: true, reason: null });
  }
  return made;
}

async function extract(url: URL, context: PlatformContext): Promise<Extraction> {
  const id = getVideoId(url, context.settings);
  const session = await openSession(context);
  const orNothing = (): null => null;
  const [player, webPlayer, next] = await Promise.all([
    askPlayers(session, id),
    session.ask('player', { videoId: id, ...consent }, 'WEB').catch(orNothing),
    session.ask('next', { videoId: id, ...consent }, 'WEB').catch(orNothing),
  ]);
  const tracks = readCaptionTracks(player);
  const captions = tracks.length > 0 ? tracks : readCaptionTracks(webPlayer);
  const info = readInfo(id, { player, webPlayer, next }, captions);
  const own = await withLinks(readFormats(player, info.durationSeconds), session);
  const formats = own.some((format) => format.url !== null)
    ? own
    : await withLinks(readFormats(webPlayer, info.durationSeconds), session);
  const expiresIn = secondsAt(player, 'streamingData', 'expiresInSeconds');
  return {
    info,
    formats: formats.map(({ cipher: _cipher, ...format }) => format),
    captions,
    linksExpireAt: expiresIn === null ? null : Date.now() + Math.min(expiresIn, longestLinkSeconds) * 1_000,
    upcoming: !info.live && isUpcoming(player),
  };
}

export const youtube: Platform = {
  name: 'youtube',
  extract,
  async comments(url, options, context) {
    const id = getVideoId(url, context.settings);
    return await readComments(await openSession(context), id, options);
  },
  search: async (query, limit, context) => await searchVideos(await openSession(context), query, limit),
  async readCaptions(track, { fetch: fetchIt, settings }) {
    const url = new URL(rebase(track.url, settings.youtubeUrl));
    url.searchParams.set('fmt', 'json3');
    if (settings.youtubePoToken !== null) url.searchParams.set('pot', settings.youtubePoToken);
    const response = await ask(fetchIt, url.href);
    checkCaptions(response, 'YouTube');
    const text = await textOf(response);
    if (text.trim() === '')
      throw blocked('YouTube answered with empty captions: it asks for a token (YOUTUBE_PO_TOKEN).');
    return parseCaptions(text, response.headers.get('content-type'));
  },
};
