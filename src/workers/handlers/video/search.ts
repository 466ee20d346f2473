import { search } from '../../../shared/contracts/video/search.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(search, async ({ q, limit, platform }, job, { videos }) => {
  const { isPartial, ...found } = await videos.search(platform, q, limit, job);
  if (isPartial)
    job.warn(
      'results_incomplete',
      'The platform did not send all parts: there are more. Asking again may help.',
    );
  return found;
});
