import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import type { EgressLease, EgressLeaseOptions } from '../../../shared/egress/types.ts';
import type { CaptionSegment, VideoComments, VideoSearch } from '../../../shared/schemas/video.ts';
import type { Reaper } from '../../processes/reaper.ts';
import { runExtractor } from '../extractor/run-extractor.ts';
import type { CaptionTrack, CommentSort, Found, PlatformSettings } from '../platforms/platform.ts';
import type { YtDlp } from '../yt-dlp.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { askYtDlp, type EngineName, type EngineOptions } from './engines.ts';
import { createExtractionCache, type ExtractedVideo } from './extraction-cache.ts';
import { keepOpenLinks } from './open-links.ts';
import { recognise } from './recognise.ts';

/** For whom and how long. */
export interface Asking {
  /** What a plain page answers is not shared between users. */
  userId: string;
  signal: AbortSignal;
}

/** The platforms, as handlers use them. All throw AppError with the codes of the video proxy. */
export interface VideoSource {
  extract(url: string, asking: Asking): Promise<ExtractedVideo>;
  readCaptions(extracted: ExtractedVideo, track: CaptionTrack, asking: Asking): Promise<CaptionSegment[]>;
  comments(
    url: string,
    options: { limit: number; sort: CommentSort },
    asking: Asking,
  ): Promise<Found<VideoComments>>;
  search(
    platform: 'youtube' | 'peertube',
    query: string,
    limit: number,
    asking: Asking,
  ): Promise<Found<VideoSearch>>;
}

export interface VideoSourceOptions {
  openLease(options: EgressLeaseOptions): EgressLease;
  reaper: Reaper;
  settings: PlatformSettings;
  /** Null where there is none that may be used. */
  ytDlp(): Promise<YtDlp | null>;
  engines: readonly EngineName[];
  breaker: CircuitBreaker;
}

const askMs = 45_000;
const byteBudget = 96 * 1024 * 1024;

/** Another engine may know better; what a video is, it cannot change. */
const othersMayKnow: ReadonlySet<ErrorCode> = new Set([
  'platform_unsupported',
  'platform_blocked',
  'upstream_failed',
  'unsupported_content',
  'target_too_large',
  'target_timeout',
]);

const isWorthAnother = (error: unknown): boolean =>
  !(error instanceof AppError) || othersMayKnow.has(error.code);

export function createVideoSource(options: VideoSourceOptions): VideoSource {
  const { openLease, reaper, settings, ytDlp, engines, breaker } = options;
  const cache = createExtractionCache();

  /** @param origin the only one that is asked; it is the operator's choice, and may be private. */
  async function withLease<T>(
    { signal }: Asking,
    origin: string | null,
    ask: (engine: EngineOptions) => Promise<T>,
  ): Promise<T> {
    const hosts = origin === null ? {} : { hosts: [new URL(origin).host] };
    await using lease = openLease({ signal, byteBudget, ...hosts });
    return await ask({ lease, reaper, settings, signal, timeoutMs: askMs });
  }

  const originOf = (platform: string): string | null => (platform === 'youtube' ? settings.youtubeUrl : null);

  async function askNative(url: string, asking: Asking): Promise<ExtractedVideo> {
    const { platform } = recognise(new URL(url), settings.youtubeUrl);
    return await withLease(asking, originOf(platform), async (engine) => {
      const own = await runExtractor({ task: 'extract', platform, url }, engine);
      const reader = own === null ? 'page' : platform;
      const extraction = own ?? (await runExtractor({ task: 'extract', platform: 'page', url }, engine));
      if (extraction === null) throw new AppError('platform_unsupported', 'No video was found at this URL.');
      return { reader, extraction };
    });
  }

  const asked: Record<EngineName, (url: string, asking: Asking) => Promise<ExtractedVideo | null>> = {
    native: askNative,
    'yt-dlp': async (url, asking) => {
      const program = await ytDlp();
      if (program === null) return null;
      return await withLease(asking, null, async (engine) => ({
        reader: 'page',
        extraction: await askYtDlp(program, url, engine),
      }));
    },
  };

  async function withOpenLinks(extracted: ExtractedVideo, { signal }: Asking): Promise<ExtractedVideo> {
    await using lease = openLease({ signal });
    return { ...extracted, extraction: keepOpenLinks(extracted.extraction, lease) };
  }

  /** The first engine's failure is told: it knows the platform best. */
  async function askInOrder(url: string, asking: Asking): Promise<ExtractedVideo> {
    let failure: unknown;
    for (const engine of engines) {
      try {
        const extracted = await asked[engine](url, asking);
        if (extracted !== null) return await withOpenLinks(extracted, asking);
      } catch (error) {
        asking.signal.throwIfAborted();
        failure ??= error;
        if (!isWorthAnother(error)) throw error;
      }
    }
    throw failure ?? new AppError('not_configured', 'None of the engines in VIDEO_ENGINES is installed.');
  }

  const guarded = async <T>(platform: string, ask: () => Promise<T>): Promise<T> =>
    // A plain page is nobody's platform: one broken site must not close the others.
    platform === 'page' ? await ask() : await breaker.run(platform, ask);

  const circuitOf = (url: string): string => {
    const { platform } = recognise(new URL(url), settings.youtubeUrl);
    return platform === 'peertube' ? `peertube ${new URL(url).host}` : platform;
  };

  return {
    async extract(url, asking) {
      const { platform, id } = recognise(new URL(url), settings.youtubeUrl);
      // What is told of a video of YouTube hangs on its id alone; elsewhere the address may hold a right to see it.
      const key = platform === 'youtube' ? `youtube ${id}` : `${platform} ${asking.userId} ${id} ${url}`;
      return await cache.get(key, asking.signal, (signal) =>
        guarded(circuitOf(url), () => askInOrder(url, { ...asking, signal })),
      );
    },
    readCaptions: ({ reader }, track, asking) =>
      withLease(asking, originOf(reader), (engine) =>
        runExtractor({ task: 'captions', platform: reader, track }, engine),
      ),
    async comments(url, bounds, asking) {
      const { platform } = recognise(new URL(url), settings.youtubeUrl);
      const found = await guarded(circuitOf(url), () =>
        withLease(asking, originOf(platform), (engine) =>
          runExtractor({ task: 'comments', platform, url, ...bounds }, engine),
        ),
      );
      if (found !== null) return found;
      throw new AppError('platform_unsupported', 'Comments can be read of YouTube and PeerTube videos only.');
    },
    search: (platform, query, limit, asking) =>
      guarded(platform, () =>
        withLease(asking, originOf(platform) ?? settings.peertubeSearchUrl, (engine) =>
          runExtractor({ task: 'search', platform, query, limit }, engine),
        ),
      ),
  };
}
