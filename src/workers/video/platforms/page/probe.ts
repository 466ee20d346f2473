import { ALL_FORMATS, Input, type InputAudioTrack, type InputVideoTrack, UrlSource } from 'mediabunny';
import { toCount } from '../loose.ts';
import type { FoundFormat } from '../platform.ts';
import { emptyFormat } from '../empty-format.ts';

const cacheBytes = 32 * 1024 * 1024;
const packetsForRate = 60;

/** File extensions by what the library calls a container. */
const containers: Record<string, string> = {
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'video/x-matroska': 'mkv',
  'video/mp2t': 'ts',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'application/ogg': 'ogg',
};

export interface Probed {
  format: FoundFormat;
  durationSeconds: number | null;
  title: string | null;
}

export interface ProbeRequest {
  url: string;
  /** Within its video's formats. */
  id: string;
  sizeBytes: number | null;
  signal: AbortSignal;
}

/** Reads the head of a media file by byte ranges. @returns null where it is of no kind that is known here. */
export async function probeFile(request: ProbeRequest, fetchIt: typeof fetch): Promise<Probed | null> {
  const { url, id, sizeBytes, signal } = request;
  const source = new UrlSource(url, {
    maxCacheSize: cacheBytes,
    parallelism: 1,
    getRetryDelay: () => null,
    handleUnhandledError: () => undefined,
    fetchFn: (input, init) =>
      fetchIt(input, { ...init, signal: AbortSignal.any([signal, ...(init?.signal ? [init.signal] : [])]) }),
  });
  using input = new Input({ source, formats: ALL_FORMATS });
  const dispose = (): void => input.dispose();
  signal.addEventListener('abort', dispose, { once: true });
  if (signal.aborted) dispose();
  try {
    const container = await input.getFormat();
    const [video, audio] = await Promise.all([input.getPrimaryVideoTrack(), input.getPrimaryAudioTrack()]);
    if (video === null && audio === null) return null;
    const durationSeconds = await durationOf(input);
    const tags = await input.getMetadataTags().catch(() => null);
    const base = emptyFormat(id, url, video === null ? 'audio' : audio === null ? 'video' : 'muxed');
    const bitrate = sizeBytes === null || !durationSeconds ? null : (sizeBytes * 8) / durationSeconds;
    const format: FoundFormat = {
      ...base,
      container: containers[container.mimeType.toLowerCase()] ?? container.name.toLowerCase(),
      ...(video === null ? {} : await videoFacts(video)),
      ...(audio === null ? {} : await audioFacts(audio)),
      bitrateKbps: bitrate === null ? null : Math.round(bitrate / 1_000),
      sizeBytes,
    };
    return { format, durationSeconds, title: tags?.title ?? null };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (isUnknownFormat(error)) return null;
    throw error;
  } finally {
    signal.removeEventListener('abort', dispose);
  }
}

const isUnknownFormat = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'UnsupportedInputFormatError' ||
    /unsupported|unrecognizable|invalid|unexpected/i.test(error.message));

async function durationOf(input: Input): Promise<number | null> {
  const told = await input.getDurationFromMetadata().catch(() => null);
  return told !== null && Number.isFinite(told) && told > 0 ? Math.round(told * 1_000) / 1_000 : null;
}

async function videoFacts(track: InputVideoTrack): Promise<Partial<FoundFormat>> {
  const rate = await track.computePacketStats(packetsForRate).catch(() => null);
  const [width, height, videoCodec, isHdr] = await Promise.all([
    track.getDisplayWidth(),
    track.getDisplayHeight(),
    track.getCodecParameterString(),
    track.hasHighDynamicRange().catch(() => null),
  ]);
  // A file that is cut off has no packets to reckon with.
  const fps =
    rate === null || !(rate.averagePacketRate > 0)
      ? null
      : Math.round(rate.averagePacketRate * 1_000) / 1_000;
  return { width: toCount(width), height: toCount(height), videoCodec, fps, hdr: isHdr };
}

async function audioFacts(track: InputAudioTrack): Promise<Partial<FoundFormat>> {
  const [audioCodec, language] = await Promise.all([
    track.getCodecParameterString(),
    track.getLanguageCode(),
  ]);
  return { audioCodec, language: language === 'und' ? null : language };
}
