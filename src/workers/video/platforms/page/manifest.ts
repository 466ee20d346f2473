import * as HLS from 'hls-parser';
import { type MpdPlaylist, parse as parseMpd } from 'mpd-parser';
import { AppError } from '../../../../shared/errors.ts';
import { toCount } from '../loose.ts';
import { type CaptionTrack, type FoundFormat, toCaptionTag } from '../platform.ts';
import { emptyFormat } from '../empty-format.ts';

export interface Manifest {
  formats: FoundFormat[];
  captions: CaptionTrack[];
  durationSeconds: number | null;
  live: boolean;
  /** Its pictures and sounds are for players only that are given the keys. */
  encrypted: boolean;
  /** A list of segments that names no list of its own but is one: its length is known. */
  next: string | null;
}

/** Sound tracks or subtitles of one manifest. */
const mostRenditions = 200;
const videoCodec = /^(avc|hvc|hev|vp0?[89]|av01|dvh|mp4v)/i;

function splitCodecs(text: string | undefined): { videoCodec: string | null; audioCodec: string | null } {
  const codecs = (text ?? '')
    .split(',')
    .map((codec) => codec.trim())
    .filter((codec) => codec !== '');
  return {
    videoCodec: codecs.find((codec) => videoCodec.test(codec)) ?? null,
    audioCodec: codecs.find((codec) => !videoCodec.test(codec)) ?? null,
  };
}

const kbps = (bitsPerSecond: number | undefined): number | null =>
  bitsPerSecond === undefined ? null : Math.round(bitsPerSecond / 1_000);

function damaged(cause: unknown): AppError {
  return new AppError('unsupported_content', 'The playlist is damaged, or is none.', { cause });
}

function parseHls(text: string): HLS.types.MasterPlaylist | HLS.types.MediaPlaylist {
  try {
    return HLS.parse(text);
  } catch (cause) {
    throw damaged(cause);
  }
}

function parseDash(text: string, url: string): ReturnType<typeof parseMpd> {
  try {
    const manifest = parseMpd(text, { manifestUri: url });
    // Of one without representations it answers an object without anything in it.
    if (!('playlists' in manifest)) throw new Error('The manifest has nothing to play.');
    return manifest;
  } catch (cause) {
    throw damaged(cause);
  }
}

/** An HLS playlist, of variants or of segments. @throws AppError `unsupported_content` */
export function readHls(text: string, url: string, id: string): Manifest {
  const playlist = parseHls(text);
  const whole: FoundFormat = { ...emptyFormat(id, url, 'muxed'), container: 'hls', protocol: 'hls' };
  if (!playlist.isMasterPlaylist) {
    const { segments, endlist, playlistType } = playlist as HLS.types.MediaPlaylist;
    const live = !endlist && playlistType !== 'VOD';
    const durationSeconds = segments.reduce((sum, { duration }) => sum + Math.max(0, duration), 0);
    const manifest = {
      formats: [whole],
      captions: [],
      durationSeconds: live ? null : durationSeconds,
      live,
      encrypted: false,
      next: null,
    };
    return segments.some(({ key }) => isForPlayers(key)) ? withoutKeys(manifest) : manifest;
  }
  const { variants, sessionKeyList } = playlist as HLS.types.MasterPlaylist;
  const real = variants.filter(({ isIFrameOnly }) => isIFrameOnly !== true);
  const formats = real.flatMap((variant, index) => {
    const place = URL.parse(variant.uri, url);
    return place === null ? [] : [variantFormat(variant, place.href, `${id}-${index + 1}`)];
  });
  const sounds = renditionsOf(real, 'audio', url).map(({ place, rendition, variant }, index) => ({
    ...emptyFormat(`${id}-audio-${index + 1}`, place, 'audio'),
    container: 'hls',
    protocol: 'hls' as const,
    audioCodec: splitCodecs(variant.codecs).audioCodec,
    language: rendition.language ?? null,
  }));
  // Those that only translate foreign words last.
  const captions = renditionsOf(real, 'subtitles', url)
    .toSorted((a, b) => Number(a.rendition.forced ?? false) - Number(b.rendition.forced ?? false))
    .map(({ place, rendition }) => captionTrack(rendition.language, rendition.name, place));
  const manifest = {
    formats: [whole, ...formats, ...sounds],
    captions,
    durationSeconds: null,
    live: false,
    encrypted: false,
    next: formats[0]?.url ?? null,
  };
  return sessionKeyList.some(isForPlayers) ? withoutKeys(manifest) : manifest;
}

/** The keys of `AES-128` are open to everybody who may have the segments. */
const isForPlayers = (key: HLS.types.Key | null | undefined): boolean =>
  key != null && !/^(AES-128|NONE)$/i.test(key.method);

const lock = (format: FoundFormat): FoundFormat => ({
  ...format,
  url: null,
  downloadable: false,
  reason: 'It is encrypted (DRM): only players that are given its keys can show it.',
});

export const withoutKeys = (manifest: Manifest): Manifest => ({
  ...manifest,
  formats: manifest.formats.map(lock),
  encrypted: true,
});

const captionTrack = (language: string | undefined, label: string | null, url: string): CaptionTrack => ({
  language: toCaptionTag(language),
  label,
  kind: 'manual',
  url,
  headers: {},
});

interface FoundRendition {
  rendition: HLS.types.Rendition;
  /** Its URL. */
  place: string;
  /** The first that it belongs to. */
  variant: HLS.types.Variant;
}

/** What stands in a playlist of its own beside the variants, each once; subtitles may be a file too. */
function renditionsOf(
  variants: readonly HLS.types.Variant[],
  kind: 'audio' | 'subtitles',
  base: string,
): FoundRendition[] {
  const found = new Map<string, FoundRendition>();
  for (const variant of variants) {
    for (const rendition of variant[kind]) {
      const place = rendition.uri === undefined ? null : (URL.parse(rendition.uri, base)?.href ?? null);
      if (place === null || found.has(place) || found.size === mostRenditions) continue;
      found.set(place, { rendition, place, variant });
    }
  }
  return [...found.values()];
}

function variantFormat(variant: HLS.types.Variant, url: string, id: string): FoundFormat {
  const { resolution, bandwidth, averageBandwidth, codecs, frameRate, videoRange } = variant;
  const split = splitCodecs(codecs);
  const isAudio = resolution === undefined && split.videoCodec === null && split.audioCodec !== null;
  // Its sound stands in playlists of its own.
  const isSilent = variant.audio.length > 0 && variant.audio.every(({ uri }) => uri !== undefined);
  return {
    ...emptyFormat(id, url, isAudio ? 'audio' : isSilent ? 'video' : 'muxed'),
    ...split,
    container: 'hls',
    protocol: 'hls',
    width: toCount(resolution?.width ?? null),
    height: toCount(resolution?.height ?? null),
    fps: frameRate ?? null,
    bitrateKbps: kbps(averageBandwidth ?? bandwidth),
    hdr: isAudio ? null : videoRange === 'PQ' || videoRange === 'HLG',
  };
}

const inOnePlaylist = 'A stream of segments, not a file: give a player the manifest.';

/** The file whose parts all segments are; null where they are files of their own. */
function fileOf({ segments, sidx }: MpdPlaylist): string | null {
  const parts = sidx === undefined ? segments : [...segments, sidx];
  const [file, ...others] = new Set(
    parts.flatMap(({ resolvedUri, map }) => [resolvedUri, map?.resolvedUri ?? resolvedUri]),
  );
  return file !== undefined && others.length === 0 && /^https?:/.test(file) ? file : null;
}

/** An MPEG-DASH manifest. @throws AppError `unsupported_content` */
export function readDash(text: string, url: string, id: string): Manifest {
  const manifest = parseDash(text, url);
  // Of several periods ffmpeg reads one: they are for players alone.
  const protocol = manifest.timelineStarts.length > 1 ? ('other' as const) : ('dash' as const);
  const whole: FoundFormat = { ...emptyFormat(id, url, 'muxed'), container: 'dash', protocol };
  const part = (kind: 'video' | 'audio', playlist: MpdPlaylist, index: number): FoundFormat => {
    const file = protocol === 'other' ? null : fileOf(playlist);
    const format = emptyFormat(`${id}-${kind}-${playlist.attributes.NAME ?? index + 1}`, file ?? url, kind);
    const open: FoundFormat =
      file === null
        ? { ...format, container: 'dash', protocol, downloadable: false, reason: inOnePlaylist }
        : { ...format, container: /\.webm(\?|$)/.test(file) ? 'webm' : 'mp4' };
    return playlist.contentProtection === undefined ? open : lock(open);
  };
  const videos = manifest.playlists.map((playlist, index) => {
    const { attributes } = playlist;
    return {
      ...part('video', playlist, index),
      videoCodec: splitCodecs(attributes.CODECS).videoCodec,
      width: toCount(attributes.RESOLUTION?.width ?? null),
      height: toCount(attributes.RESOLUTION?.height ?? null),
      fps: attributes['FRAME-RATE'] ?? null,
      bitrateKbps: kbps(attributes.BANDWIDTH),
    };
  });
  const groups = Object.values(manifest.mediaGroups.AUDIO).flatMap((group) => Object.values(group));
  const audios = groups.flatMap(({ language, playlists }) =>
    playlists.map((playlist, index) => ({
      ...part('audio', playlist, index),
      audioCodec: splitCodecs(playlist.attributes.CODECS).audioCodec,
      bitrateKbps: kbps(playlist.attributes.BANDWIDTH),
      language: language !== undefined && language !== '' && language !== 'main' ? language : null,
    })),
  );
  const live = manifest.endList === false;
  const durationSeconds = !live && manifest.duration && manifest.duration > 0 ? manifest.duration : null;
  // What is more than one file is found again in the manifest when it is read.
  const captions = subtitlesOf(manifest).map(({ language, label, parts }) =>
    captionTrack(language, label, parts.length === 1 ? (parts[0] as string) : url),
  );
  const all = [...manifest.playlists, ...groups.flatMap(({ playlists }) => playlists)];
  const encrypted = all.some(({ contentProtection }) => contentProtection !== undefined);
  const formats = [encrypted ? lock(whole) : whole, ...videos, ...audios];
  return { formats, captions, durationSeconds, live, encrypted, next: null };
}

interface Subtitles {
  language: string | undefined;
  label: string;
  /** Files that follow each other. */
  parts: string[];
}

function subtitlesOf({ mediaGroups }: ReturnType<typeof parseMpd>): Subtitles[] {
  return Object.values(mediaGroups.SUBTITLES)
    .flatMap((group) => Object.entries(group))
    .slice(0, mostRenditions)
    .flatMap(
      ([
        label,
        {
          language,
          playlists: [first],
        },
      ]) => {
        const parts = [...new Set(first?.segments.map(({ resolvedUri }) => resolvedUri))];
        return parts.length === 0 ? [] : [{ language, label, parts }];
      },
    );
}

/** The files of a caption track that a DASH manifest has named. @throws AppError `unsupported_content` */
export function findDashParts(text: string, url: string, { language, label }: CaptionTrack): string[] {
  const found = subtitlesOf(parseDash(text, url)).find(
    (one) => toCaptionTag(one.language) === language && one.label === label,
  );
  if (found === undefined) throw damaged(new Error('The manifest names the captions no more.'));
  return found.parts;
}

/** The files of an HLS playlist of segments. @throws AppError `unsupported_content` */
export function findHlsParts(text: string, url: string): string[] {
  const playlist = parseHls(text);
  if (playlist.isMasterPlaylist) throw damaged(new Error('A playlist of playlists.'));
  const { segments } = playlist as HLS.types.MediaPlaylist;
  return [...new Set(segments.flatMap(({ uri }) => URL.parse(uri, url)?.href ?? []))];
}
