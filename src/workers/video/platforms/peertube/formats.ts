import { emptyFormat } from '../empty-format.ts';
import { countAt, flagAt, listAt, type Loose, numberAt, textAt } from '../loose.ts';
import type { FoundFormat } from '../platform.ts';

/** The files of a video: whole ones, and those behind the HLS playlists, which are whole files too. */
export function readFormats(video: Loose, durationSeconds: number | null): FoundFormat[] {
  const whole = listAt(video, 'files').flatMap((file) => readFile(file, 'web', durationSeconds) ?? []);
  const lists = listAt(video, 'streamingPlaylists').flatMap((list, index) => {
    const fragmented = listAt(list, 'files').flatMap(
      (file) => readFile(file, 'fragmented', durationSeconds) ?? [],
    );
    const url = textAt(list, 'playlistUrl');
    return url === null ? fragmented : [...fragmented, playlistFormat(url, index)];
  });
  return [...whole, ...lists];
}

function readFile(
  file: Loose,
  family: 'web' | 'fragmented',
  durationSeconds: number | null,
): FoundFormat | null {
  const url = textAt(file, 'fileUrl') ?? textAt(file, 'fileDownloadUrl');
  const height = countAt(file, 'resolution', 'id') ?? countAt(file, 'height');
  if (url === null || height === null) return null;
  const sizeBytes = countAt(file, 'size');
  const hasVideo = flagAt(file, 'hasVideo') ?? height > 0;
  const hasAudio = flagAt(file, 'hasAudio') ?? true;
  const bitrate = sizeBytes === null || !durationSeconds ? null : (sizeBytes * 8) / durationSeconds;
  const extension = /\.(\w{2,5})(?:\?|$)/.exec(url)?.[1]?.toLowerCase() ?? null;
  const id = `${family}-${hasVideo ? `${height}p` : 'audio'}`;
  return {
    ...emptyFormat(id, url, !hasVideo ? 'audio' : hasAudio ? 'muxed' : 'video'),
    container: extension,
    width: hasVideo ? countAt(file, 'width') : null,
    height: hasVideo ? (countAt(file, 'height') ?? height) : null,
    fps: hasVideo ? positive(numberAt(file, 'fps')) : null,
    bitrateKbps: bitrate === null ? null : Math.round(bitrate / 1_000),
    sizeBytes,
  };
}

/** PeerTube writes -1 or 0 for what it does not know. */
const positive = (value: number | null): number | null => (value !== null && value > 0 ? value : null);

function playlistFormat(url: string, index: number): FoundFormat {
  const id = index === 0 ? 'hls' : `hls-${index}`;
  return { ...emptyFormat(id, url, 'muxed'), container: 'hls', protocol: 'hls' };
}
