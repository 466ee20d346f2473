import sharp from 'sharp';
import { AppError } from '../../../shared/errors.ts';
import type { EgressLease } from '../../../shared/egress/types.ts';
import type { Reaper } from '../../processes/reaper.ts';
import { runFfmpeg } from '../ffmpeg.ts';
import type { ProgramRun } from '../media-program.ts';
import type { WholeFile } from './whole-file.ts';

const frameFormats = ['png', 'jpeg', 'webp'] as const;
export type FrameFormat = (typeof frameFormats)[number];

export interface FrameSource {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Null where it is not known; then the last frame at or before the moment is looked for by time. */
  fps: number | null;
  durationSeconds: number | null;
  /** Fetched where no part of it can be read by itself. */
  file: WholeFile;
}

export interface FrameTools {
  /** Path of the program. */
  ffmpeg: string;
  lease: EgressLease;
  reaper: Reaper;
  signal: AbortSignal;
}

export interface Frame {
  timestampSeconds: number;
  png: Buffer;
}

const frameMs = 60_000;
/** Without a byte from the server. */
const silenceMs = 20_000;
/** 8K; a larger frame takes gigabytes to decode. */
const maxPixels = 7_680 * 4_320;
const maxPngBytes = 128 * 1024 * 1024;

/**
 * The frame that a player shows at `timestampSeconds`: decoding begins at the key frame before it, so only that part
 * of the file is fetched.
 * @param width scales down to it; null: as it is.
 * @throws AppError `invalid_request` past the end, `image_too_large`, `unsupported_content`, and as `runFfmpeg`.
 */
export async function captureFrame(
  source: FrameSource,
  { timestampSeconds, width }: { timestampSeconds: number; width: number | null },
  tools: FrameTools,
): Promise<Frame> {
  const { durationSeconds } = source;
  if (durationSeconds !== null && timestampSeconds > durationSeconds)
    throw pastTheEnd(timestampSeconds, durationSeconds);
  let failure: unknown;
  for (const cut of cutsFor(timestampSeconds, source)) {
    const wasByParts = source.file.path === null;
    let run = await runCut(cut, source, width, tools);
    if (wasByParts && cannotGoBack(run) && (await source.file.fetch()))
      run = await runCut(cut, source, width, tools);
    if (run.stdout.length > 0) return { timestampSeconds, png: run.stdout };
    const error = failureOf(run, source, timestampSeconds, tools.lease);
    if (error.code !== 'invalid_request') throw error;
    failure ??= error;
  }
  throw failure;
}

/** In seconds of the video. */
interface Cut {
  /** Where reading begins: at the key frame before it. */
  seek: number;
  /** Decoded and left out until then. */
  from?: number;
  /** The last frame until then; without it, the first one of all. */
  until?: number;
  /** Filters by which a picture stands until the next one comes. */
  standing?: string;
}

const windowSeconds = 0.5;
/** How far back a picture that stands is looked for, before the whole video is read. */
const standingSeconds = 30;
/** Frames that a standing picture is made of: what is rounded to them is late by two at most. */
const standingFps = 100;
/** Where two clocks mean the same frame; and where they do by the frame's number. */
const toleranceSeconds = 0.002;
const latestSeconds = 0.025;

/**
 * How to find the last frame at or before the moment, which is what a player shows. Where the rate is known, that is
 * within a frame and a half before it, whatever the rounding of the file's own clock; else within half a second. Slide
 * shows and recordings of screens have fewer frames: there the last picture stands until the next. What cannot be
 * sought in is read from its beginning. Before the first picture that one stands, and behind the last picture that.
 */
function cutsFor(seconds: number, { fps, durationSeconds }: FrameSource): Cut[] {
  const isRateKnown = fps !== null && fps >= 2 && fps <= 240;
  const last =
    isRateKnown && durationSeconds !== null ? Math.ceil(durationSeconds * fps - 0.01) - 1 : Infinity;
  const frame = isRateKnown ? Math.min(Math.floor(seconds * fps + 0.01), last) : 0;
  if (isRateKnown ? frame === 0 : seconds <= 0) return [{ seek: 0 }];
  // By its number its own time lies about there: sound that begins first puts it a little later.
  const latest = isRateKnown ? frame / fps + Math.min(0.5 / fps, latestSeconds) : 0;
  const until = Math.max(seconds + toleranceSeconds, latest);
  const near = { seek: Math.max(0, seconds - windowSeconds), until };
  const likely = isRateKnown ? [{ seek: (frame - 0.5) / fps, until }, near] : [near];
  const standing = { from: seconds - 2 / standingFps, until };
  const fill = `fps=${standingFps}:round=up`;
  const lately = Math.max(0, seconds - standingSeconds);
  const fromStart = `${fill}:start_time=0`;
  // Of a video of unknown length nothing up to the moment means that it is past the end.
  if (durationSeconds === null)
    return [...likely, { ...standing, seek: lately, standing: lately === 0 ? fromStart : fill }];
  const clone = 'tpad=stop_mode=clone:stop=-1';
  return [
    ...likely,
    { ...standing, seek: lately, standing: `${fill},${clone}` },
    { ...standing, seek: 0, standing: `${fromStart},${clone}` },
  ];
}

/** In pixels that are square, as players show them, unless those would be too many. */
const squareWidth = `if(lte(iw*sar*ih,${maxPixels}),round(iw*sar),iw)`;

function filtersOf({ from, until, standing }: Cut, width: number | null): string[] {
  const bounds = [
    ...(from === undefined ? [] : [`start=${Math.max(0, from).toFixed(6)}`]),
    ...(until === undefined ? [] : [`end=${until.toFixed(6)}`]),
  ];
  return [
    ...(standing === undefined ? [] : [standing]),
    ...(bounds.length === 0 ? [] : [`trim=${bounds.join(':')}`]),
    width === null
      ? `scale=w='${squareWidth}':h=ih`
      : `scale=w='min(${width},${squareWidth})':h='max(1,round(ow/dar))'`,
    ...(until === undefined ? [] : ['reverse']),
  ];
}

async function runCut(
  cut: Cut,
  { url, headers, file }: FrameSource,
  width: number | null,
  { ffmpeg, ...bounds }: FrameTools,
): Promise<ProgramRun> {
  const filters = filtersOf(cut, width);
  return await runFfmpeg({
    ...bounds,
    path: ffmpeg,
    input: file.path === null ? url : { path: file.path },
    timeoutMs: frameMs,
    maxOutputBytes: maxPngBytes,
    inputOptions: [
      // The file's own clock, less its beginning: ffmpeg 7's own reckoning after a seek is off by that in HLS.
      '-copyts',
      '-start_at_zero',
      // Told to begin at 0, it begins a stream of segments at its second key frame.
      ...(cut.seek === 0 ? [] : ['-ss', cut.seek.toFixed(6)]),
      '-max_pixels',
      String(maxPixels),
      ...(file.path === null ? ['-rw_timeout', String(silenceMs * 1_000), ...headerOptions(headers)] : []),
    ],
    outputOptions: [
      '-map',
      '0:v:0',
      '-an',
      '-sn',
      '-dn',
      '-frames:v',
      '1',
      '-vf',
      filters.join(','),
      '-c:v',
      'png',
      '-pix_fmt',
      'rgb24',
      '-f',
      'image2pipe',
    ],
  });
}

/** An MP4's index stands at its end, and what comes before it is gone where a server answers no requests for parts. */
const cannotGoBack = ({ stderr, stdout }: ProgramRun): boolean =>
  stdout.length === 0 && /moov atom not found|partial file/i.test(stderr);

function headerOptions(headers: Readonly<Record<string, string>>): string[] {
  const clean = Object.entries(headers).filter(([name, value]) => !/[\r\n]/.test(name + value));
  return clean.length === 0
    ? []
    : ['-headers', clean.map(([name, value]) => `${name}: ${value}\r\n`).join('')];
}

function pastTheEnd(seconds: number, durationSeconds: number | null): AppError {
  const length = durationSeconds === null ? '' : `: it is ${durationSeconds} s long`;
  return new AppError('invalid_request', `The video has no frame at ${seconds} s${length}.`, {
    errors: [{ path: 'timestamp', message: 'is past the end of the video' }],
  });
}

function failureOf(run: ProgramRun, source: FrameSource, seconds: number, lease: EgressLease): AppError {
  const { stderr, exitCode, refusal } = run;
  if (refusal !== null) return refusal;
  if (/exceeds specified max pixel count|Picture size .* is invalid/i.test(stderr))
    return new AppError(
      'image_too_large',
      `A frame of the video has more than the ${maxPixels} pixels that are decoded.`,
    );
  const status = /Server returned (\d{3}|4XX|5XX)|HTTP error (\d{3})/.exec(stderr);
  if (status) {
    const code = status[2] ?? status[1] ?? '';
    return code === '404' || code === '410'
      ? new AppError('video_not_found', 'The file of the video is gone.')
      : new AppError(
          'platform_blocked',
          `The server of the video answered ${code} to a request for its file.`,
        );
  }
  const unreached = lease.failureOf(source.url);
  if (unreached !== null) return unreached;
  const isDamaged =
    /Invalid data found|moov atom not found|could not find codec|does not contain any stream|matches no streams/i.test(
      stderr,
    );
  if (exitCode === 0 && !isDamaged) return pastTheEnd(seconds, source.durationSeconds);
  return new AppError(
    'unsupported_content',
    'No frame could be read: the file is damaged, or of a kind that ffmpeg does not know.',
  );
}

/** @returns the bytes in the format, and its size in pixels. */
export async function encodeFrame(
  png: Buffer,
  format: FrameFormat,
): Promise<{ bytes: Buffer; width: number; height: number }> {
  const image = sharp(png, { limitInputPixels: maxPixels });
  if (format === 'png') {
    const { width, height } = await image.metadata();
    return { bytes: png, width, height };
  }
  const { data, info } = await image.toFormat(format, { quality: 85 }).toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height };
}

/** Mean brightness, 0 (black) to 255. */
export async function brightnessOf(png: Buffer): Promise<number> {
  const { channels } = await sharp(png, { limitInputPixels: maxPixels }).greyscale().stats();
  return channels[0]?.mean ?? 0;
}
