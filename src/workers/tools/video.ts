import { existsSync } from 'node:fs';
import { findProgramOnPath } from '../../shared/programs-on-path.ts';
import { createCircuitStore } from '../../shared/video/circuits.ts';
import { startReaper } from '../processes/reaper.ts';
import { createFrameOpener, type FrameOpener } from '../video/frames/open-frames.ts';
import { findExtractorAccount } from '../video/extractor/run-extractor.ts';
import { getFfmpeg, makeReachable } from '../video/programs.ts';
import { createCircuitBreaker } from '../video/source/circuit-breaker.ts';
import { createVideoSource, type VideoSource } from '../video/source/video-source.ts';
import { openYtDlp, type YtDlp } from '../video/yt-dlp.ts';
import { openBrowserFolder } from './browser-folder.ts';
import type { JobTools, Lacking, ToolsContext } from './context.ts';

export interface VideoTools extends JobTools, Lacking {
  readonly videos: VideoSource;
  readonly frames: FrameOpener;
}

export function createVideoTools({ config, log, redis, lifetime, jobTools }: ToolsContext): VideoTools {
  const { openLease } = jobTools;
  const { youtube, peertube } = config.providers;
  if (youtube === null || peertube === null) throw new Error('The platforms have no addresses');
  const reaper = lifetime.use(startReaper());
  let ytDlp: Promise<YtDlp | null> | undefined;

  async function findYtDlp(): Promise<YtDlp | null> {
    const path = config.YTDLP_PATH ?? findProgramOnPath('yt-dlp');
    if (path === undefined) return null;
    return await openYtDlp(path).catch((error: unknown) => {
      log.warn({ err: error }, 'yt-dlp is not used');
      // It may only have been slow to start.
      ytDlp = undefined;
      return null;
    });
  }

  const videos = createVideoSource({
    openLease,
    reaper,
    settings: {
      youtubeUrl: youtube.url.origin,
      youtubeCookies: youtube.cookies ?? null,
      youtubePoToken: youtube.poToken ?? null,
      peertubeSearchUrl: peertube.searchUrl.origin,
    },
    ytDlp: () => (ytDlp ??= findYtDlp()),
    engines: config.VIDEO_ENGINES,
    breaker: createCircuitBreaker(createCircuitStore(redis)),
  });
  const reachable = new Map<string, Promise<string>>();
  async function findReachable(path: string): Promise<string> {
    try {
      return await makeReachable(path, () => openBrowserFolder(config));
    } catch (error) {
      log.warn({ err: error }, 'ffmpeg runs as root: its own account cannot reach it');
      return path;
    }
  }
  async function ffmpeg(): Promise<string> {
    const path = await getFfmpeg(config.FFMPEG_PATH);
    const found = reachable.get(path) ?? findReachable(path);
    reachable.set(path, found);
    // One that was copied to a folder of temporary files may be gone.
    if (existsSync(await found)) return await found;
    reachable.delete(path);
    return path;
  }
  if (process.getuid?.() === 0 && findExtractorAccount() === undefined)
    log.warn(
      { project: import.meta.dirname, node: process.execPath },
      'What reads the answers of video platforms runs as root, with no more than the rights of Node’s permission model: ' +
        'its own account cannot read the project, or cannot run this Node. Put both where other users may.',
    );
  const frames = createFrameOpener({ openLease, reaper, ffmpeg });
  return {
    ...jobTools,
    videos,
    frames,
    lacks: () =>
      ffmpeg().then(
        () => [],
        () => ['FFMPEG_PATH'],
      ),
  };
}
