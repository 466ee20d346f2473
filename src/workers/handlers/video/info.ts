import { info } from '../../../shared/contracts/video/info.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(info, async ({ url }, job, { videos }) => {
  const { extraction } = await videos.look(url, job);
  return extraction.info;
});
