import { AppError } from '../../../shared/errors.ts';
import {
  brightnessOf,
  captureFrame,
  type Frame,
  type FrameSource,
  type FrameTools,
} from './capture-frame.ts';

interface SpreadOptions<Kept> {
  count: number;
  width: number | null;
  /** @param done how many there are with it. */
  keep(frame: Frame, index: number, done: number): Promise<Kept>;
}

const atOnce = 2;
/** Below it a frame shows next to nothing: fades, and the black between scenes. */
const darkBelow = 16;
/** Where to look instead, in parts of the interval. */
const offsets = [0.15, -0.15, 0.35, -0.35];

/**
 * Frames from the middles of `count` equal parts. Where that one is black, the brightest of some others of the same
 * part. Each is handed to `keep` when it is there, so that few are in memory at a time.
 * @returns what `keep` makes of them, in their order.
 */
export async function spreadFrames<Kept>(
  source: FrameSource,
  { count, width, keep }: SpreadOptions<Kept>,
  tools: FrameTools,
): Promise<Kept[]> {
  const { durationSeconds } = source;
  if (durationSeconds === null)
    throw new AppError(
      'unsupported_content',
      'The length of the video is not known, so no even intervals can be made of it. Ask for single frames.',
    );
  const part = durationSeconds / count;
  const kept: Kept[] = [];
  let next = 0;
  let done = 0;
  async function take(): Promise<void> {
    for (let index = next++; index < count; index = next++) {
      const frame = await brightest(source, (index + 0.5) * part, part, width, tools);
      kept[index] = await keep(frame, index, ++done);
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, take));
  return kept;
}

async function brightest(
  source: FrameSource,
  middle: number,
  part: number,
  width: number | null,
  tools: FrameTools,
): Promise<Frame> {
  const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;
  const capture = (seconds: number) =>
    captureFrame(source, { timestampSeconds: round(seconds), width }, tools).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'invalid_request'
        ? endsEarly(source, seconds)
        : error;
    });
  let best = await capture(middle);
  let brightness = await brightnessOf(best.png);
  for (const offset of offsets) {
    if (brightness >= darkBelow) break;
    const other = await capture(middle + offset * part);
    const its = await brightnessOf(other.png);
    if (its > brightness) [best, brightness] = [other, its];
  }
  return best;
}

/** The moments are ours, not the client's. */
function endsEarly({ durationSeconds }: FrameSource, seconds: number): AppError {
  return new AppError(
    'unsupported_content',
    `The file of the video has no frame at ${seconds.toFixed(1)} s, though it is said to be ${durationSeconds} s long. Ask for single frames with platform/screenshot.`,
  );
}
