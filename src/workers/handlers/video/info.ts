import { info } from '../../../shared/contracts/video/info.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(info, async ({ url }, job, { videos }) => {
  const { extraction } = await videos.extract(url, job);
  const { captionsFailure, chaptersFailure } = extraction;
  if (captionsFailure !== undefined)
    job.warn('captions_failed', `Which captions the video has is not known: ${captionsFailure.detail}`);
  if (chaptersFailure !== undefined)
    job.warn('chapters_failed', `Which chapters the video has is not known: ${chaptersFailure.detail}`);
  return extraction.info;
});
