import { AppError } from '../../../shared/errors.ts';
import type { EgressLease } from '../../../shared/egress/types.ts';
import type { Reaper } from '../../processes/reaper.ts';
import { runExtractor } from '../extractor/run-extractor.ts';
import type { Extraction, PlatformSettings } from '../platforms/platform.ts';
import { runYtDlp, type YtDlp } from '../yt-dlp.ts';

/** `native`: our own code for each platform. */
export type EngineName = 'native' | 'yt-dlp';

export interface EngineOptions {
  lease: EgressLease;
  reaper: Reaper;
  settings: PlatformSettings;
  signal: AbortSignal;
  timeoutMs: number;
}

const maxYtDlpBytes = 24 * 1024 * 1024;

/** Looks at a video with yt-dlp, whose answer is read in the extractor's process. */
export async function askYtDlp(program: YtDlp, url: string, options: EngineOptions): Promise<Extraction> {
  const { settings, lease, reaper, signal, timeoutMs } = options;
  const run = await runYtDlp({
    program,
    url,
    lease,
    reaper,
    signal,
    timeoutMs,
    maxOutputBytes: maxYtDlpBytes,
    options: ['--no-playlist', '--retries', '1', '--extractor-retries', '1', '--socket-timeout', '15'],
  });
  if (run.exitCode !== 0) throw run.refusal ?? ofYtDlp(run.stderr, lease, url);
  return await runExtractor(
    { task: 'read-yt-dlp', json: run.stdout.toString() },
    { lease, reaper, settings, signal, timeoutMs },
  );
}

const meanings: [RegExp, ConstructorParameters<typeof AppError>[0]][] = [
  [/unsupported url|no video (formats )?(could be )?found|is not a valid url/i, 'platform_unsupported'],
  [/not a bot|HTTP Error (403|429)|captcha|rate.?limit/i, 'platform_blocked'],
  [/\bage\b|age-restricted/i, 'video_age_restricted'],
  [/\bgeo|country|region/i, 'video_geo_blocked'],
  [/private|login|sign in|members|premium|password/i, 'video_private'],
  [/unavailable|does not exist|removed|HTTP Error 404|not found/i, 'video_not_found'],
  [/live event|premieres|is not currently live/i, 'video_live_unsupported'],
];

/** What yt-dlp's last error means. */
function ofYtDlp(stderr: string, lease: Pick<EgressLease, 'failureOf'>, url: string): AppError {
  const line = stderr.split('\n').findLast((one) => one.startsWith('ERROR:')) ?? stderr.slice(-300);
  const told = line
    .replace(/^ERROR:\s*/, '')
    .replace(/;? ?please report this issue.*$/i, '')
    .slice(0, 300);
  const code = meanings.find(([pattern]) => pattern.test(told))?.[1];
  if (code !== undefined) return new AppError(code, `yt-dlp says: ${told}`);
  return (
    lease.failureOf(url) ??
    new AppError('upstream_failed', `yt-dlp could not read the page. It says: ${told}`)
  );
}
