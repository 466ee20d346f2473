import { videoScreenshot } from '../../../shared/contracts/video/screenshot.ts';
import { defineHandler } from '../../handler.ts';
import { captureFrame, encodeFrame } from '../../video/frames/capture-frame.ts';

export default defineHandler(videoScreenshot, async (input, job, { videos, frames }) => {
  const { timestamp: timestampSeconds, width = null, format } = input;
  const { extraction } = await videos.extract(input.url, job);
  await using source = await frames.open(extraction, width, job.signal);
  const { png } = await captureFrame(source, { timestampSeconds, width }, source.tools);
  const { bytes, ...size } = await encodeFrame(png, format);
  const { name: fileName } = await job.files.write(`frame.${format}`, `image/${format}`, bytes);
  return { timestampSeconds, format, fileName, ...size };
});
