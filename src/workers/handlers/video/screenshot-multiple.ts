import { screenshotMultiple } from '../../../shared/contracts/video/screenshot-multiple.ts';
import type { StoredFrame } from '../../../shared/schemas/video-frame.ts';
import { defineHandler } from '../../handler.ts';
import { encodeFrame } from '../../video/frames/capture-frame.ts';
import { spreadFrames } from '../../video/frames/spread-frames.ts';

export default defineHandler(screenshotMultiple, async (input, job, tools) => {
  const { count, width = null, format } = input;
  const { extraction } = await tools.videos.look(input.url, job);
  await using source = await tools.frames.open(extraction, width, job.signal);
  const onFrame = (done: number): Promise<void> => job.progress(done, count, 'frames');
  const taken = await spreadFrames(source, { count, width, onFrame }, source.tools);
  const frames: StoredFrame[] = [];
  for (const [index, { png, timestampSeconds }] of taken.entries()) {
    const { bytes, ...size } = await encodeFrame(png, format);
    const { name: fileName } = await job.files.write(
      `frame-${index + 1}.${format}`,
      `image/${format}`,
      bytes,
    );
    frames.push({ timestampSeconds, format, fileName, ...size });
  }
  return { frames };
});
