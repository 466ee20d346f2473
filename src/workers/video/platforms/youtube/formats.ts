import { boundPlaylist, emptyFormat } from '../empty-format.ts';
import { at, countAt, flagAt, listAt, type Loose, numberAt, textAt, toCount } from '../loose.ts';
import type { FoundFormat } from '../platform.ts';

const noLink = 'The platform gives no link for this format to clients that are not its own player.';
const hdrTransfer = /SMPTEST2084|ARIB_STD_B67/;

export interface CipheredFormat extends FoundFormat {
  /** What a link is made of by the site's script. */
  cipher: string | null;
}

/** The formats of a player's answer; those without a link say so. */
export function readFormats(player: Loose, durationSeconds: number | null): CipheredFormat[] {
  const streaming = at(player, 'streamingData');
  const named = [
    ...listAt(streaming, 'formats').map((one) => readFormat(one, 'muxed', durationSeconds)),
    ...listAt(streaming, 'adaptiveFormats').map((one) => readFormat(one, null, durationSeconds)),
  ];
  const playlist = textAt(streaming, 'hlsManifestUrl');
  const formats = withOwnIds(named.flatMap((one) => one ?? []));
  return playlist === null ? formats : [...formats, hlsFormat(playlist)];
}

interface NamedFormat {
  format: CipheredFormat;
  /** With the whole name of its sound track: a language may have several, such as a description of the pictures. */
  fullId: string;
}

/** The whole name where the short one is that of another format too. */
function withOwnIds(named: readonly NamedFormat[]): CipheredFormat[] {
  const counts = new Map<string, number>();
  for (const { format } of named) counts.set(format.id, (counts.get(format.id) ?? 0) + 1);
  return named.map(({ format, fullId }) =>
    (counts.get(format.id) ?? 0) > 1 ? { ...format, id: fullId } : format,
  );
}

/** @returns null of what has no number, or is not said to be of any kind. */
function readFormat(one: Loose, given: 'muxed' | null, durationSeconds: number | null): NamedFormat | null {
  const itag = numberAt(one, 'itag');
  if (itag === null || (given === null && textAt(one, 'mimeType') === null)) return null;
  const [, type = '', container = null, codecText = ''] =
    /^(\w+)\/(\w+)(?:;\s*codecs="([^"]*)")?/.exec(textAt(one, 'mimeType') ?? '') ?? [];
  const kind = given ?? (type === 'audio' ? 'audio' : 'video');
  const codecs = codecText.split(',').map((codec) => codec.trim());
  const bitrate = numberAt(one, 'averageBitrate') ?? numberAt(one, 'bitrate');
  const exact = countAt(one, 'contentLength');
  const lengthSeconds = (numberAt(one, 'approxDurationMs') ?? (durationSeconds ?? 0) * 1_000) / 1_000;
  const estimate = bitrate === null || lengthSeconds === 0 ? null : toCount((bitrate * lengthSeconds) / 8);
  const url = textAt(one, 'url');
  const fullTrack = textAt(one, 'audioTrack', 'id');
  const track = fullTrack?.replace(/\.\d+$/, '') ?? null;
  const isDrc = flagAt(one, 'isDrc') === true;
  const idOf = (ofTrack: string | null): string =>
    [String(itag), ofTrack, isDrc ? 'drc' : null].filter((part) => part !== null).join('-');
  const transfer = textAt(one, 'colorInfo', 'transferCharacteristics');
  const format: CipheredFormat = {
    id: idOf(track),
    kind,
    container,
    width: countAt(one, 'width'),
    height: countAt(one, 'height'),
    fps: kind === 'audio' ? null : numberAt(one, 'fps'),
    videoCodec: kind === 'audio' ? null : (codecs[0] ?? null) || null,
    audioCodec: kind === 'video' ? null : ((kind === 'audio' ? codecs[0] : codecs[1]) ?? null) || null,
    bitrateKbps: bitrate === null ? null : Math.round(bitrate / 1_000),
    sizeBytes: exact ?? estimate,
    sizeIsEstimate: exact === null && estimate !== null,
    hdr:
      kind === 'audio'
        ? null
        : hdrTransfer.test(transfer ?? '') || /HDR/.test(textAt(one, 'qualityLabel') ?? ''),
    language: track,
    protocol: url?.startsWith('http:') ? 'http' : 'https',
    downloadable: url !== null,
    reason: url === null ? noLink : null,
    url,
    headers: {},
    boundToAddress: true,
    cipher: textAt(one, 'signatureCipher') ?? textAt(one, 'cipher'),
  };
  return { format, fullId: idOf(fullTrack) };
}

function hlsFormat(url: string): CipheredFormat {
  return {
    ...emptyFormat('hls', url, 'muxed'),
    container: 'hls',
    protocol: 'hls',
    downloadable: false,
    reason: boundPlaylist,
    boundToAddress: true,
    cipher: null,
  };
}

/** Which of the sound tracks is the one that was recorded; null where there is one only. */
export function findOriginalLanguage(player: Loose): string | null {
  for (const one of listAt(player, 'streamingData', 'adaptiveFormats')) {
    const isOriginal =
      flagAt(one, 'audioTrack', 'audioIsDefault') === true &&
      flagAt(one, 'audioTrack', 'isAutoDubbed') !== true;
    if (isOriginal) return textAt(one, 'audioTrack', 'id')?.replace(/\.\d+$/, '') ?? null;
  }
  return null;
}
