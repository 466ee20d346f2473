import * as HLS from 'hls-parser';
import { type MpdPlaylist, parse as parseMpd } from 'mpd-parser';
import { AppError } from '../../../../shared/errors.ts';
import type { CaptionTrack, FoundFormat } from '../platform.ts';
import { emptyFormat } from '../empty-format.ts';

export interface Manifest {
  formats: FoundFormat[];
  captions: CaptionTrack[];
  durationSeconds: number | null;
  live: boolean;
  /** A list of segments that names no list of its own but is one: its length is known. */
  next: string | null;
}

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

/** An HLS playlist, of variants or of segments. @throws AppError `unsupported_content` */
export function readHls(text: string, url: string, id: string): Manifest {
  let playlist: HLS.types.MasterPlaylist | HLS.types.MediaPlaylist;
  try {
    playlist = HLS.parse(text);
  } catch (cause) {
    throw damaged(cause);
  }
  const whole: FoundFormat = { ...emptyFormat(id, url, 'muxed'), container: 'hls', protocol: 'hls' };
  if (!playlist.isMasterPlaylist) {
    const { segments, endlist, playlistType } = playlist as HLS.types.MediaPlaylist;
    const live = !endlist && playlistType !== 'VOD';
    const durationSeconds = segments.reduce((sum, { duration }) => sum + duration, 0);
    return {
      formats: [whole],
      captions: [],
      durationSeconds: live ? null : durationSeconds,
      live,
      next: null,
    };
  }
  const { variants } = playlist as HLS.types.MasterPlaylist;
  const real = variants.filter(({ isIFrameOnly }) => isIFrameOnly !== true);
  const formats = real.flatMap((variant, index) => {
    const place = URL.parse(variant.uri, url);
    return place === null ? [] : [variantFormat(variant, place.href, `${id}-${index + 1}`)];
  });
  const subtitles = real[0]?.subtitles ?? [];
  const captions = subtitles.flatMap(({ uri, language, name }) => {
    const place = uri === undefined ? null : URL.parse(uri, url);
    if (place === null || /\.m3u8?(\?|$)/.test(place.pathname)) return [];
    return [
      {
        language: language ?? 'und',
        label: name,
        kind: 'manual',
        url: place.href,
        headers: {},
      } satisfies CaptionTrack,
    ];
  });
  return {
    formats: [whole, ...formats],
    captions,
    durationSeconds: null,
    live: false,
    next: formats[0]?.url ?? null,
  };
}

function variantFormat(variant: HLS.types.Variant, url: string, id: string): FoundFormat {
  const { resolution, bandwidth, averageBandwidth, codecs, frameRate, videoRange } = variant;
  const split = splitCodecs(codecs);
  const isAudio = resolution === undefined && split.videoCodec === null && split.audioCodec !== null;
  return {
    ...emptyFormat(id, url, isAudio ? 'audio' : 'muxed'),
    ...split,
    container: 'hls',
    protocol: 'hls',
    width: resolution?.width ?? null,
    height: resolution?.height ?? null,
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
  let manifest: ReturnType<typeof parseMpd>;
  try {
    manifest = parseMpd(text, { manifestUri: url });
  } catch (cause) {
    throw damaged(cause);
  }
  const whole: FoundFormat = { ...emptyFormat(id, url, 'muxed'), container: 'dash', protocol: 'dash' };
  const part = (kind: 'video' | 'audio', playlist: MpdPlaylist, index: number): FoundFormat => {
    const file = fileOf(playlist);
    const format = emptyFormat(`${id}-${kind}-${playlist.attributes.NAME ?? index + 1}`, file ?? url, kind);
    if (file !== null) return { ...format, container: /\.webm(\?|$)/.test(file) ? 'webm' : 'mp4' };
    return { ...format, container: 'dash', protocol: 'dash', downloadable: false, reason: inOnePlaylist };
  };
  const videos = manifest.playlists.map((playlist, index) => {
    const { attributes } = playlist;
    return {
      ...part('video', playlist, index),
      videoCodec: splitCodecs(attributes.CODECS).videoCodec,
      width: attributes.RESOLUTION?.width ?? null,
      height: attributes.RESOLUTION?.height ?? null,
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
  const durationSeconds = !live && manifest.duration ? manifest.duration : null;
  return { formats: [whole, ...videos, ...audios], captions: [], durationSeconds, live, next: null };
}
