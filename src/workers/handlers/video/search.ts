import { search } from '../../../shared/contracts/video/search.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(search, ({ q, limit, platform }, job, { videos }) =>
  videos.search(platform, q, limit, job),
);
