import { media } from '../../../shared/contracts/video/media.ts';
import { defineHandler } from '../../handler.ts';
import { byQuality, findBest } from '../../video/choose-format.ts';

export default defineHandler(media, async ({ url }, job, { videos }) => {
  const { info, formats } = (await videos.extract(url, job)).extraction;
  return {
    formats: formats.toSorted(byQuality(info.language)),
    best: findBest(formats, info.language),
  };
});
