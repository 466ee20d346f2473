import { screenshotMultiple } from '../../../shared/contracts/video/screenshot-multiple.ts';
import type { StoredFrame } from '../../../shared/schemas/video-frame.ts';
import { defineHandler } from '../../handler.ts';
import { encodeFrame, type Frame } from '../../video/frames/capture-frame.ts';
import { spreadFrames } from '../../video/frames/spread-frames.ts';

export default defineHandler(screenshotMultiple, async (input, job, tools) => {
  const { count, width = null, format } = input;
  const { extraction } = await tools.videos.extract(input.url, job);
  await using source = await tools.frames.open(extraction, width, job.signal);
  async function keep({ png, timestampSeconds }: Frame, index: number, done: number): Promise<StoredFrame> {
    const { bytes, ...size } = await encodeFrame(png, format);
    const { name: fileName } = await job.files.write(
      `frame-${index + 1}.${format}`,
      `image/${format}`,
      bytes,
    );
    await job.progress(done, count, 'frames');
    return { timestampSeconds, format, fileName, ...size };
  }
  const frames = await spreadFrames(source, { count, width, keep }, source.tools);
  return { frames };
});
